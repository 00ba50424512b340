import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { invalid } from '../http/errors.ts';

/** The value of `country` that asks for all countries, where an answer can mix them. */
export const every = 'all';

/** The field for one country in a query or a body. `chooseCountry` looks its value up. */
export const countryField = z
  .string()
  .meta({ id: 'Country', description: '(+) A country of `GET /countries`; default the first one.' })
  .optional();

/** The field for one country or all countries. `chooseCountries` looks its value up. */
export const countriesField = z
  .string()
  .meta({
    id: 'CountryOrAll',
    description: '(+) A country of `GET /countries`, or `all`; default the first one.',
  })
  .optional();

/** Returns the country that the address of a page asks for; undefined: the default country. */
export function askedCountry({ country }: Record<string, unknown>): string | undefined {
  return typeof country === 'string' && country !== '' ? country : undefined;
}

export type Country = Awaited<ReturnType<typeof readCountries>>[number];

/** Returns the countries, beginning with the default country. */
export function readCountries(db: Db) {
  return db
    .selectFrom('registry.country')
    .select([
      'country_code',
      'name',
      'name_en',
      'language',
      'time_zone',
      'activity_pattern',
      'is_default',
    ])
    .orderBy('is_default', 'desc')
    .orderBy('country_code')
    .execute();
}

/**
 * Returns the countries that a request asks for: by default the first known country, with `all` every one.
 * Throws a 422 that lists the known countries for an unknown country.
 */
export function chooseAmong<C extends { country_code: string }>(
  known: readonly C[],
  asked: string | undefined,
  others: readonly string[] = [every],
): C[] {
  if (asked === undefined) return known.slice(0, 1);
  if (others.includes(asked.toLowerCase())) return [...known];
  const found = known.filter(({ country_code }) => country_code === asked.toUpperCase());
  if (found.length > 0) return found;
  const names = [...known.map(({ country_code }) => country_code), ...others];
  throw invalid([['country', `The country field must be one of ${names.join(', ')}.`]]);
}

/** Returns the country that a request asks for, by default the first country. */
export async function chooseCountry(db: Db, asked: string | undefined): Promise<Country> {
  return chooseAmong(await readCountries(db), asked, [])[0]!;
}

/** Returns the codes of the countries that a request asks for, which may ask for `all`. */
export async function chooseCountries(db: Db, asked: string | undefined): Promise<string[]> {
  return chooseAmong(await readCountries(db), asked).map(({ country_code }) => country_code);
}
