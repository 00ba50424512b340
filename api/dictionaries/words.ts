import type { Db } from '../../sql/connection/kysely.ts';
import { type Country, requireAmong } from './countries.ts';

export type Words = Awaited<ReturnType<typeof readWords>>;

/** Reads the words of each country with their translations, which are labels in snapshots and on pages. */
export async function readWords(db: Db) {
  const rows = await db
    .selectFrom('registry.country_word as word')
    .innerJoin('registry.country as country', 'country.country_code', 'word.country_code')
    .select(['country.country_code', 'country.language as own_language'])
    .select(['word.language', 'word.word', 'word.text'])
    .execute();
  const languages = new Set(rows.map(({ language }) => language));
  languages.delete('');
  const texts = new Map(
    rows.map((one) => [`${one.country_code} ${one.language} ${one.word}`, one.text]),
  );
  const ownLabels = new Map(
    rows
      .filter(({ language, own_language }) => language === own_language)
      .map((one) => [`${one.country_code} ${one.text}`, one.word]),
  );
  const own = new Map(rows.map((one) => [one.country_code, one.own_language]));
  /** Returns a country's text for a word: in `language`, else in the country's language, else for all languages. */
  const find = (country_code: string, word: string, language = ''): string | undefined =>
    [language, own.get(country_code) ?? '', '']
      .map((one) => texts.get(`${country_code} ${one} ${word}`))
      .find((text) => text !== undefined);
  return {
    find,
    /** Translates a label from the country's language into `language`; returns an unknown label unchanged. */
    translate: (country_code: string, label: string, language = ''): string =>
      find(country_code, ownLabels.get(`${country_code} ${label}`) ?? '', language) ?? label,
    /** Returns the name of a country in `language`; if this name is unknown, the English name. */
    nameOf: (country: Country, language: string): string =>
      (language === country.language
        ? country.name
        : texts.get(`${country.country_code} ${language} name`)) ?? country.name_en,
    /** Throws a 422 for a language into which no word is translated. */
    requireLanguage: (language: string) =>
      requireAmong('lang', [...languages].toSorted(), language),
  };
}
