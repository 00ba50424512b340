import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { invalid } from '../http/errors.ts';

/** The value of `country` that asks for all countries, where an answer can mix them. */
export const every = 'all';

/** The field for one country. `chooseCountry` looks up the value of this field. */
export const countryField = z.string().meta({ id: 'Country' }).optional();

/** The field for one country or all countries. `chooseCountries` looks up the value of this field. */
export const countriesField = z.string().meta({ id: 'CountryOrAll' }).optional();

export type Country = Awaited<ReturnType<typeof readCountries>>[number];

/** Returns the countries, beginning with the default country. */
export function readCountries(db: Db) {
  return db
    .selectFrom('registry.country')
    .selectAll()
    .orderBy('is_default', 'desc')
    .orderBy('country_code')
    .execute();
}

/** Throws a 422 that lists the known values of a field unless the request asks for one of them. */
export function requireAmong(field: string, known: readonly string[], asked: string): void {
  if (known.includes(asked)) return;
  const message = `The ${field} field must be one of ${known.join(', ')}.`;
  throw invalid([[field, message, 'unknown_value']]);
}

/** Returns the asked countries: the first by default, every country for `all`. Throws a 422 for an unknown country. */
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

/** Returns the country that a request asks for, by default the first country. */
export async function chooseCountry(db: Db, asked: string | undefined): Promise<Country> {
  return chooseAmong(await readCountries(db), asked, [])[0]!;
}

/** Returns the codes of the countries that a request asks for, which may ask for `all`. */
export async function chooseCountries(
  db: Db,
  asked: string | undefined,
  field?: string,
): Promise<string[]> {
  const chosen = chooseAmong(await readCountries(db), asked, undefined, field);
  return chosen.map(({ country_code }) => country_code);
}

/** Returns `country` from the query of a page and the codes that it selects; undefined selects the default country. */
export async function chooseByAddress(db: Db, { country: asked }: Record<string, unknown>) {
  const country = typeof asked === 'string' && asked !== '' ? asked : undefined;
  return { country, countries: await chooseCountries(db, country) };
}
