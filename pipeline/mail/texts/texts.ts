import { IntlMessageFormat } from 'intl-messageformat';
import en from './en.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };

type Catalogue = typeof en;
type Values = Record<string, string | number | Date | null>;
type Message = (values?: Values) => string;

export type EventType = keyof Catalogue['events'];
export type Severity = keyof Catalogue['severities'];

export const eventTypes = Object.keys(en.events) as EventType[];
export const severities = Object.keys(en.severities) as Severity[];

/**
 * The messages of a language, by letter and name. An event takes `value` (added, removed or assigned),
 * `change` (old → new), and the values `before` and `after`; each can be null.
 */
export type Texts = { [Letter in keyof Catalogue]: Record<keyof Catalogue[Letter], Message> };

/** What the catalogues call `date, long` and `time, short`, such as `6 November 2026` and `05:04`. */
const formats = {
  date: { long: { timeZone: 'UTC' } },
  time: { short: { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' } },
} as const;

/** @param catalogue messages in ICU MessageFormat; `<` is no tag */
function createTexts(locale: string, catalogue: Catalogue): Texts {
  const read = (message: string): Message => {
    let format: IntlMessageFormat | undefined;
    return (values) => {
      format ??= new IntlMessageFormat(message, locale, formats, { ignoreTag: true });
      return format.format(values) as string;
    };
  };
  const letters = Object.entries(catalogue).map(([letter, messages]) => [
    letter,
    Object.fromEntries(Object.entries(messages).map(([name, message]) => [name, read(message)])),
  ]);
  return Object.fromEntries(letters) as Texts;
}

export const texts = { en: createTexts('en-GB', en), pl: createTexts('pl-PL', pl) };

export type Language = keyof typeof texts;
