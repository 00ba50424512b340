import type { Request } from 'express';
import { sql } from 'kysely';
import { z } from 'zod';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { chooseByAddress } from '../dictionaries/countries.ts';
import type { Context } from '../http/context.ts';
import { findCountryChoices } from '../html/country-choice.ts';
import { findAttributions } from '../html/attributions.ts';
import type { DownloadOptions } from './files.ts';
import { placeFlag, views } from './views.ts';

type DictionaryRow = Record<'view' | 'about_view' | 'name' | 'type' | 'about', string>;

const flag = {
  name: 'is_suppressed',
  type: 'boolean',
  description: 'Whether the row has a count that is null because it is small.',
};

/** Returns the descriptions of the downloadable views and of their columns, from the comments in the database. */
export async function findDictionary({ readers: { db }, SUPPRESS_BELOW }: Context) {
  const all = await runPrepared<DictionaryRow>(db, 'api/data_dictionary.sql', []);
  const byView = Map.groupBy(all, ({ view }) => view);
  return {
    suppress_below: SUPPRESS_BELOW,
    views: views.map(({ view, grain }) => {
      const rows = byView.get(view)!;
      const columns = rows.map(({ name, type, about }) => ({ name, type, description: about }));
      return {
        view,
        rows: grain,
        description: rows[0]!.about_view,
        columns: grain === 'dictionary' ? columns : placeFlag(columns, flag),
      };
    }),
  };
}

const query = z.object({ date: z.iso.date().optional().catch(undefined) });

/**
 * Returns the content of the page `/downloads`: the files of a day (by default the newest), and all days of that month.
 */
export async function findDownloads(options: DownloadOptions, asked: Request['query']) {
  const { readers, baseUrl } = options;
  const { country, countries } = await chooseByAddress(readers.db, asked);
  const all = await readers.db
    .selectFrom('analyst.daily_stat')
    .select(['date as day', sql<string[]>`array_agg(source order by source)`.as('sources')])
    .where('country_code', 'in', countries)
    .groupBy('date')
    .orderBy('date')
    .execute();
  const [first, newest] = [all[0]?.day, all.at(-1)?.day];
  const date = query.parse(asked).date ?? newest;
  const sources = all.find(({ day }) => day === date)?.sources;
  return {
    ...(await findDictionary(options)),
    countries: await findCountryChoices(readers.db, country, true),
    attributions: await findAttributions(readers.db, sources ?? []),
    baseUrl,
    country,
    date,
    first,
    newest,
    days: all.filter(({ day }) => day.slice(0, 7) === date?.slice(0, 7)),
    /** The registries that have a snapshot of the chosen day; undefined: no registry has a snapshot of this day. */
    sources,
  };
}
