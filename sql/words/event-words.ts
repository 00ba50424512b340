import { readCountryRows } from '../country.ts';
import en from './event-en.json' with { type: 'json' };
import pl from './event-pl.json' with { type: 'json' };
import { createMessages, type Language, type Message, type Messages } from './message-format.ts';

/**
 * The texts that describe events in mails and in answers of the API. A text uses `value` (added, removed or assigned),
 * `change` (old → new), and the values `before` and `after`; each of the four can be null.
 */
type EventWords = Messages<typeof en>;

export type EventType = keyof EventWords['events'];

export const eventTypes = Object.keys(en.events) as EventType[];

const catalogues: Record<Language, typeof en> = { en, pl };

const written = new Map<string, EventWords>();

/** Returns the texts of events: a country's own texts for its numbers and codes, else the common texts. */
function wordsOf(language: Language, country_code: string): EventWords {
  const key = `${language} ${country_code}`;
  const known = written.get(key);
  if (known) return known;
  const { common, events } = catalogues[language];
  const own = readCountryRows<'language' | 'word' | 'text'>(country_code, 'country_word')
    .filter((row) => row.language === language && row.word in events)
    .map(({ word, text }) => [word, text]);
  const words = createMessages(language, {
    common,
    events: { ...events, ...(Object.fromEntries(own) as Partial<typeof events>) },
  });
  written.set(key, words);
  return words;
}

const longest = 200;

/** Returns a registry's value on one line of at most 200 characters, without marks that change the text direction. */
export function present(value: string | null): string {
  const line = (value ?? '').replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line;
}

const dateForm = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns an event of a country as a sentence, such as `The activity was suspended on 6 November 2026`. An event type
 * of a newer release, which has no text in this version, is shown by its name.
 */
export function describeEvent(
  language: Language,
  event: { event_type: string; old_value: string | null; new_value: string | null },
  country_code: string,
): string {
  const { common, events } = wordsOf(language, country_code);
  const prepare = (value: string | null) => {
    const line = present(value);
    if (line === '') return null;
    return dateForm.test(line) ? common.day({ date: new Date(line) }) : line;
  };
  const before = prepare(event.old_value);
  const after = prepare(event.new_value);
  const value = after ?? before;
  const change = value === null ? null : `${before ?? '—'} → ${after ?? '—'}`;
  const write = (events as Partial<Record<string, Message>>)[event.event_type];
  if (!write) return event.event_type;
  const sentence = write({ before, after, value, change });
  // If the event has no value, the colon at the end of the sentence is removed.
  return sentence.replace(/: $/, '');
}
