import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** What the row of a country in `country.csv` says to programs; the database has all of it. */
interface Country {
  country_code: string;
  time_zone: string;
  /** ISO 639-1. */
  language: string;
  /** Whether it is meant where no country is asked for. */
  is_default: boolean;
}

const folder = new URL('country/', import.meta.url);

/** The countries by their codes: the folders of `country/`. */
const countries = new Map(
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readCountry(name))
    .map((country) => [country.country_code, country]),
);

function readCountry(name: string): Country {
  const rows = parse<Record<keyof Country, string>>(
    readFileSync(new URL(`${name}/country.csv`, folder)),
    { columns: true },
  );
  const row = rows[0]!;
  return { ...row, country_code: name.toUpperCase(), is_default: row.is_default === 'true' };
}

export const defaultCountry = [...countries.values()].find(({ is_default }) => is_default)!;

/** Throws for a country without a folder. */
export function findCountry(country_code: string): Country {
  const country = countries.get(country_code);
  if (!country) throw new Error(`sql/country has no folder of the country ${country_code}`);
  return country;
}

/** The calendar day in a country, YYYY-MM-DD; without a code in the default one. */
export function dayIn(moment: Date, country_code = defaultCountry.country_code): string {
  const { time_zone } = findCountry(country_code);
  return new Intl.DateTimeFormat('sv-SE', { timeZone: time_zone }).format(moment);
}
