import { createMessage, type Language, type Message } from '../../../sql/words/message.ts';
import en from './en.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };

type Catalogue = typeof en;

export type EventType = keyof Catalogue['events'];
export type Severity = keyof Catalogue['severities'];

export const eventTypes = Object.keys(en.events) as EventType[];
export const severities = Object.keys(en.severities) as Severity[];

/**
 * The messages of a language, by letter and name. An event takes `value` (added, removed or assigned),
 * `change` (old → new), and the values `before` and `after`; each can be null.
 */
export type Texts = { [Letter in keyof Catalogue]: Record<keyof Catalogue[Letter], Message> };

function createTexts(language: Language, catalogue: Catalogue): Texts {
  const letters = Object.entries(catalogue).map(([letter, messages]) => [
    letter,
    Object.fromEntries(
      Object.entries(messages).map(([name, text]) => [name, createMessage(language, text)]),
    ),
  ]);
  return Object.fromEntries(letters) as Texts;
}

export const texts = { en: createTexts('en', en), pl: createTexts('pl', pl) };
