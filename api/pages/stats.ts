import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { basePath } from '../endpoint/mount.ts';
import { findSnapshots } from './home.ts';

const text = z.string().catch('');

/** The selection in the address: the parameters of `GET /stats/series`; blank means all. */
const selectionQuery = z.object({
  source: text,
  voivodeship: text,
  section: text,
  legal_form: text,
  from: z.iso.date().catch(''),
  to: z.iso.date().catch(''),
  by: z.enum(['day', 'month']).catch('day'),
});

type Selection = z.output<typeof selectionQuery>;

function queryOf(selection: Selection): string {
  const given = Object.entries(selection).filter(([, value]) => value !== '');
  return new URLSearchParams(given).toString();
}

/** The active entries of each voivodeship on the last day that is selected. */
function countRegions(db: Db, { source, section, legal_form, to }: Selection) {
  let counted = db
    .selectFrom('registry.stock_change as stock')
    .select(['stock.voivodeship', (eb) => eb.fn.sum('entry_change').as('count')])
    .where('stock.source', '=', source)
    .where('stock.status', '=', 'ACTIVE')
    .where('stat_date', '<', 'infinity')
    .groupBy('stock.voivodeship');
  if (section !== '') counted = counted.where('activity_section', '=', section.toUpperCase());
  if (to !== '') counted = counted.where('stat_date', '<=', to);
  if (legal_form !== '') {
    counted = counted.where('stock.legal_form', '=', (eb) =>
      eb.selectFrom('registry.legal_form_symbol').select('symbol').where('slug', '=', legal_form),
    );
  }
  return db
    .with('counted', () => counted)
    .selectFrom('registry.voivodeship as region')
    .leftJoin('counted', 'counted.voivodeship', 'region.teryt')
    .select(['slug', 'name', sql<number>`coalesce(count, 0)::float8`.as('count')])
    .orderBy('name')
    .execute();
}

/** `/stats`: stock and flows over time; the address holds the selection. */
export async function findStatistics({ db }: Context, query: unknown) {
  const snapshots = await findSnapshots(db);
  const asked = selectionQuery.parse(query);
  const selection = { ...asked, source: asked.source || (snapshots[0]?.source ?? '') };
  const [regions, sections, legalForms] = await Promise.all([
    countRegions(db, selection),
    db
      .selectFrom('registry.activity_section')
      .select(['section', 'name'])
      .orderBy('section')
      .execute(),
    db
      .selectFrom('registry.legal_form_symbol')
      .select(['slug', 'label'])
      .orderBy('label')
      .execute(),
  ]);
  return {
    selection,
    snapshots,
    regions,
    sections,
    legalForms,
    csv: `${basePath}/stats/series.csv?${queryOf(selection)}`,
    /** The page with another voivodeship; blank is the whole country. */
    addressOf: (voivodeship: string) => `/stats?${queryOf({ ...selection, voivodeship })}`,
  };
}
