import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** The fields of `country.csv` that TypeScript uses; the table in the database has all fields. */
interface Country {
  country_code: string;
  time_zone: string;
  /** The ISO 639-1 code of the country's main language, such as `pl`. */
  language: string;
  /** Whether a request that names no country is about this country. */
  is_default: boolean;
}

const folder = new URL('country/', import.meta.url);

/** The countries by their codes; each folder of `sql/country` is one country. */
const countries = new Map(
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }): [string, Country] => {
      const [row] = readCountryRows<keyof Country>(name, 'country');
      const country_code = name.toUpperCase();
      return [country_code, { ...row!, country_code, is_default: row!.is_default === 'true' }];
    }),
);

/** Returns the rows of a CSV file of a country; an empty list if the country lacks the file. */
export function readCountryRows<Column extends string>(country_code: string, file: string) {
  const url = new URL(`${country_code.toLowerCase()}/${file}.csv`, folder);
  if (!existsSync(url)) return [];
  return parse<Record<Column, string>>(readFileSync(url), { columns: true });
}

export const defaultCountry = [...countries.values()].find(({ is_default }) => is_default)!;

/** Returns a country by its code. Throws if `sql/country` has no folder of the country. */
export function findCountry(country_code: string): Country {
  const country = countries.get(country_code);
  if (!country) throw new Error(`sql/country has no folder of the country ${country_code}`);
  return country;
}

const numbers = new Map(
  [...countries.keys()].flatMap((country_code) =>
    readCountryRows<'identifier_type'>(country_code, 'identifier_type').map(
      ({ identifier_type }) => [identifier_type, country_code] as const,
    ),
  ),
);

/** Returns the country code of a type of number; the default country's for null and for an unknown type. */
export function countryOfNumber(identifier_type: string | null): string {
  return numbers.get(identifier_type ?? '') ?? defaultCountry.country_code;
}

/** Returns the calendar day of a moment in a country, as YYYY-MM-DD; without a country code, in the default country. */
export function dayIn(moment: Date, country_code = defaultCountry.country_code): string {
  const { time_zone } = findCountry(country_code);
  return new Intl.DateTimeFormat('sv-SE', { timeZone: time_zone }).format(moment);
}
