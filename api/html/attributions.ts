import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { type Language, locales } from '../../sql/words/message.ts';
import { readCountries } from '../dictionaries/countries.ts';
import { readWords } from '../dictionaries/words.ts';

/** The attribution of a country's registries whose data a page shows. */
export interface Attribution {
  country_code: string;
  /** Returns the registries' names and licence, such as `SIRENE (INSEE), Licence Ouverte 2.0`. */
  write: (language: Language) => string;
}

/** Returns the attributions of the registries that a page shows, by country. */
export async function findAttributions(db: Db, sources: Iterable<string>): Promise<Attribution[]> {
  const { rows } = await sql<{ source: string; country_code: string }>`
    select source, country_code
    from (
        select distinct source, registry.source_country(source) as country_code
        from unnest(${[...sources]}::text[]) as shown (source)
    ) as of_country
    join registry.country using (country_code)
    order by is_default desc, country_code, source
  `.execute(db);
  const words = await readWords(db);
  const byCountry = Map.groupBy(rows, ({ country_code }) => country_code);
  return [...byCountry].map(([country_code, shown]) => ({
    country_code,
    write: (language) => {
      const names = shown.map(
        ({ source }) =>
          words.find(country_code, `credit_${source}`, language) ?? source.toUpperCase(),
      );
      const list = new Intl.ListFormat(locales[language]).format(names);
      const licence = words.find(country_code, 'licence', language);
      return licence === undefined ? list : `${list}, ${licence}`;
    },
  }));
}

/** Returns the names of all registries of the service. */
export async function readSources(db: Db): Promise<string[]> {
  const { rows } = await sql<{ source: string }>`
    select source from registry.source_rank order by source
  `.execute(db);
  return rows.map(({ source }) => source);
}

/** Returns each country's sentences for the terms of the data: the `law`, and the source to `cite`. */
export async function findTerms(db: Db) {
  const [countries, words] = [await readCountries(db), await readWords(db)];
  return {
    wordsOf: (word: 'law' | 'cite', language: Language) =>
      countries.flatMap(({ country_code }) => words.find(country_code, word, language) ?? []),
  };
}
