import type { Db } from '../../sql/connection/kysely.ts';
import { every, readCountries } from '../dictionaries/countries.ts';
import { readWords } from '../dictionaries/words.ts';

/** A link to a page of another country. */
export interface CountryChoice {
  /** What the address of the page asks for; empty: the first country. */
  asked: string;
  isShown: boolean;
  /** Returns the name of the country; undefined: all of them. */
  nameIn: (language: string) => string | undefined;
}

/**
 * Returns the countries that a page can be asked for, with the one that it shows.
 *
 * @param shown what the address asks for
 * @param hasAll whether the page can show all countries at once
 */
export async function findCountryChoices(
  db: Db,
  shown: string | undefined,
  hasAll: boolean,
): Promise<CountryChoice[]> {
  const [countries, words] = [await readCountries(db), await readWords(db)];
  const choices = countries.map((country) => ({
    asked: country.is_default ? '' : country.country_code,
    isShown: shown ? country.country_code === shown.toUpperCase() : country.is_default,
    nameIn: (language: string) => words.nameOf(country, language),
  }));
  const all = { asked: every, isShown: shown?.toLowerCase() === every, nameIn: () => undefined };
  return hasAll ? [...choices, all] : choices;
}
