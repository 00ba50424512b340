import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { type Language, locales } from '../../sql/words/message.ts';
import { readWords } from '../dictionaries/words.ts';

/** The registries of a country that a page shows. */
export interface Attribution {
  country_code: string;
  /** Returns their names and their licence, such as `SIRENE (INSEE), Licence Ouverte 2.0`. */
  write: (language: Language) => string;
}

/** Returns what the foot of a page says of the registries that it shows, by country. */
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

/** Returns the attributions of all registries of the service. */
export async function findAllAttributions(db: Db): Promise<Attribution[]> {
  const { rows } = await sql<{ source: string }>`select source from registry.source_rank`.execute(
    db,
  );
  return findAttributions(
    db,
    rows.map(({ source }) => source),
  );
}
