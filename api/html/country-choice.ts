import type { Db } from '../../sql/connection/kysely.ts';
import { every, readCountries } from '../dictionaries/countries.ts';
import { readWords } from '../dictionaries/words.ts';

/** Returns the countries that a page can show, if asked with `all`, and marks the country `shown` in its address. */
export async function findCountryChoices(db: Db, shown: string | undefined, hasAll: boolean) {
  const [countries, words] = [await readCountries(db), await readWords(db)];
  const choices = countries.map((country) => ({
    /** The parameter `country` of the link to this page of the country; empty for the default. */
    asked: country.is_default ? '' : country.country_code,
    isShown: shown ? country.country_code === shown.toUpperCase() : country.is_default,
    nameIn: (language: string) => words.nameOf(country, language),
  }));
  const all = { asked: every, isShown: shown?.toLowerCase() === every, nameIn: () => undefined };
  return hasAll ? [...choices, all] : choices;
}
