import type { Db } from '../../sql/connection/kysely.ts';
import { every, readCountries } from '../dictionaries/countries.ts';
import { readWords } from '../dictionaries/words.ts';

/** Returns the links to a page in each country, and to `all` countries if `hasAll`; marks the country `shown`. */
export async function findCountryChoices(db: Db, shown: string | undefined, hasAll: boolean) {
  const [countries, words] = [await readCountries(db), await readWords(db)];
  const choices = countries.map((country) => ({
    /** The parameter `country` in the link to the page of the country; empty for the default country. */
    asked: country.is_default ? '' : country.country_code,
    isShown: shown ? country.country_code === shown.toUpperCase() : country.is_default,
    nameIn: (language: string) => words.nameOf(country, language),
  }));
  const all = { asked: every, isShown: shown?.toLowerCase() === every, nameIn: () => undefined };
  return hasAll ? [...choices, all] : choices;
}
