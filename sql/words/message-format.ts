import { IntlMessageFormat } from 'intl-messageformat';

export type Values = Record<string, string | number | Date | null>;
export type Message = (values?: Values) => string;

/** The languages of mails and pages, with the locale of their dates and numbers. */
export const locales = { en: 'en-GB', pl: 'pl-PL' } as const;

export type Language = keyof typeof locales;

/** The formats that messages use as `date, long` and `time, short`, such as `6 November 2026` and `05:04`. */
const formats = {
  date: { long: { timeZone: 'UTC' } },
  time: { short: { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' } },
} as const;

/** Returns a message for an ICU MessageFormat text, which is parsed at its first use; `<` in it begins no tag. */
function createMessage(language: Language, text: string): Message {
  let format: IntlMessageFormat | undefined;
  return (values) => {
    format ??= new IntlMessageFormat(text, locales[language], formats, { ignoreTag: true });
    return format.format(values) as string;
  };
}

type Catalogue = Record<string, Record<string, string>>;

/** The messages of a catalogue, by group and name. */
export type Messages<C extends Catalogue> = { [Group in keyof C]: Record<keyof C[Group], Message> };

/** Returns the messages of a catalogue of texts, by group and name. */
export function createMessages<C extends Catalogue>(language: Language, catalogue: C): Messages<C> {
  const groups = Object.entries(catalogue).map(([group, messages]) => [
    group,
    Object.fromEntries(
      Object.entries(messages).map(([name, text]) => [name, createMessage(language, text)]),
    ),
  ]);
  return Object.fromEntries(groups) as Messages<C>;
}
