import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** The fields of `country.csv` that TypeScript uses; sql/function/01_dictionary.sql loads all files into tables. */
interface Country {
  country_code: string;
  time_zone: string;
  /** The ISO 639-1 code of the country's main language, such as `pl`. */
  language: string;
  /** Whether this country is meant if an API request names no country. */
  is_default: boolean;
}

const folder = new URL('country/', import.meta.url);

/** The countries by their codes, one for each folder of `sql/country`. */
const countries = new Map(
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }): [string, Country] => {
      const [row] = readCountryRows<keyof Country>(name, 'country');
      const country_code = name.toUpperCase();
      return [country_code, { ...row!, country_code, is_default: row!.is_default === 'true' }];
    }),
);

/** Returns the rows of a CSV file of a country, or an empty list if the country has no such file. */
export function readCountryRows<Column extends string>(country_code: string, file: string) {
  const url = new URL(`${country_code.toLowerCase()}/${file}.csv`, folder);
  if (!existsSync(url)) return [];
  return parse<Record<Column, string>>(readFileSync(url), { columns: true });
}

export const defaultCountry = [...countries.values()].find(({ is_default }) => is_default)!;

/** Returns the country with a given code. Throws an error if `sql/country` has no folder for the code. */
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

/** Returns the code of the country with a type of company number; for null or an unknown type, the default code. */
export function countryOfNumber(identifier_type: string | null): string {
  return numbers.get(identifier_type ?? '') ?? defaultCountry.country_code;
}

/** Returns the calendar day of a moment, YYYY-MM-DD, in a country's time zone (by default, the default country's). */
export function dayIn(moment: Date, country_code = defaultCountry.country_code): string {
  const { time_zone } = findCountry(country_code);
  return new Intl.DateTimeFormat('sv-SE', { timeZone: time_zone }).format(moment);
}
