import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { invalid } from '../http/errors.ts';

/** The value of the parameter `country` that selects all countries. */
export const every = 'all';

/** Checks the form of the parameter `country` for one country; `chooseCountry` checks that the country is known. */
export const countryField = z.string().meta({ id: 'Country' }).optional();

/** Checks the form of `country` for one country or `all`; `chooseCountries` checks that the country is known. */
export const countriesField = z.string().meta({ id: 'CountryOrAll' }).optional();

export type Country = Awaited<ReturnType<typeof readCountries>>[number];

/** Returns all countries in the database; the default country comes first. */
export function readCountries(db: Db) {
  return db
    .selectFrom('registry.country')
    .selectAll()
    .orderBy('is_default', 'desc')
    .orderBy('country_code')
    .execute();
}

/** Throws a 422 that lists the known values of a field, unless the value `asked` is a known value. */
export function requireAmong(field: string, known: readonly string[], asked: string): void {
  if (known.includes(asked)) return;
  const message = `The ${field} field must be one of ${known.join(', ')}.`;
  throw invalid([[field, message, 'unknown_value']]);
}

/**
 * Returns the country `asked`; for `all`, all countries; by default, the first. Throws a 422 for an unknown country.
 */
export function chooseAmong<C extends { country_code: string }>(
  known: readonly C[],
  asked: string | undefined,
  others: readonly string[] = [every],
  field = 'country',
): C[] {
  if (asked === undefined) return known.slice(0, 1);
  if (others.includes(asked.toLowerCase())) return [...known];
  const code = asked.toUpperCase();
  requireAmong(field, [...known.map(({ country_code }) => country_code), ...others], code);
  return known.filter(({ country_code }) => country_code === code);
}

/** Returns the country that a request selects, or else the default country. Throws a 422 for an unknown country. */
export async function chooseCountry(db: Db, asked: string | undefined): Promise<Country> {
  return chooseAmong(await readCountries(db), asked, [])[0]!;
}

/** Returns the codes of the countries that a request selects; the request may select `all`. */
export async function chooseCountries(
  db: Db,
  asked: string | undefined,
  field?: string,
): Promise<string[]> {
  const chosen = chooseAmong(await readCountries(db), asked, undefined, field);
  return chosen.map(({ country_code }) => country_code);
}

/**
 * Returns `country` of a page's query, and the codes of the countries that it selects; by default the default country.
 */
export async function chooseByAddress(db: Db, { country: asked }: Record<string, unknown>) {
  const country = typeof asked === 'string' && asked !== '' ? asked : undefined;
  return { country, countries: await chooseCountries(db, country) };
}
