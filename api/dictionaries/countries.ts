import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { invalid } from '../http/errors.ts';

/** What asks for all countries, where an answer can mix them. */
export const every = 'all';

/** A country in a query or a body: `chooseCountry` looks it up. */
export const countryField = z
  .string()
  .meta({ id: 'Country', description: '(+) A country of `GET /countries`; default the first one.' })
  .optional();

/** A country, or all of them: `chooseCountries` looks it up. */
export const countriesField = z
  .string()
  .meta({
    id: 'CountryOrAll',
    description: '(+) A country of `GET /countries`, or `all`; default the first one.',
  })
  .optional();

/** The country that the address of a page asks for; undefined: the first one. */
export function askedCountry({ country }: Record<string, unknown>): string | undefined {
  return typeof country === 'string' && country !== '' ? country : undefined;
}

export type Country = Awaited<ReturnType<typeof readCountries>>[number];

/** The countries, the one that is meant where none is asked for first. */
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
 * The countries that a request means among the known ones: without one the first, with `all` each. Throws a
 * 422 that lists them for an unknown one.
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

/** The one country of a request. */
export async function chooseCountry(db: Db, asked: string | undefined): Promise<Country> {
  return chooseAmong(await readCountries(db), asked, [])[0]!;
}

/** The codes of the countries of a request, where an answer can be of all. */
export async function chooseCountries(db: Db, asked: string | undefined): Promise<string[]> {
  return chooseAmong(await readCountries(db), asked).map(({ country_code }) => country_code);
}
