import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { type Language, locales } from '../../sql/words/message-format.ts';
import { readCountries } from '../dictionaries/countries.ts';
import { readWords } from '../dictionaries/words.ts';

/** Returns the attributions (names and licence) of the registries that a page shows, by country. */
export async function findAttributions(db: Db, sources: Iterable<string>) {
  const { rows } = await sql<{ country_code: string; shown: string[] }>`
    select country_code, array_agg(distinct source order by source) as shown
    from unnest(${[...sources]}::text[]) as source
    join registry.country on country_code = registry.source_country(source)
    group by country_code
    order by is_default desc, country_code
  `.execute(db);
  const words = await readWords(db);
  return rows.map(({ country_code, shown }) => ({
    country_code,
    /** Returns the registries' names and licence, such as `SIRENE (INSEE), Licence Ouverte 2.0`. */
    write: (language: Language) => {
      const names = shown.map(
        (source) => words.find(country_code, `credit_${source}`, language) ?? source.toUpperCase(),
      );
      const licence = words.find(country_code, 'licence', language);
      return [new Intl.ListFormat(locales[language]).format(names), licence ?? []]
        .flat()
        .join(', ');
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

/** Returns sentences for the page `/terms` for each country: the `law`, and the source to `cite`. */
export async function findTerms(db: Db) {
  const [countries, words] = [await readCountries(db), await readWords(db)];
  return {
    wordsOf: (word: 'law' | 'cite', language: Language) =>
      countries.flatMap(({ country_code }) => words.find(country_code, word, language) ?? []),
  };
}
