import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/kysely.ts';
import { escapeHtml } from '../../sql/html.ts';
import type { AppOptions } from '../app.ts';
import { basePath } from '../http/mount.ts';
import { findSnapshots } from './home.ts';
import type { Page } from './page.ts';
import { renderMap } from './voivodeship-map.ts';

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

type Option = [value: string, label: string];

function select(label: string, name: keyof Selection, chosen: Selection, options: Option[]) {
  const listed = options.map(([value, shown]) => {
    const selected = value === chosen[name] ? ' selected' : '';
    return `<option value="${escapeHtml(value)}"${selected}>${escapeHtml(shown)}</option>`;
  });
  return `<label>${label} <select name="${name}">${listed.join('\n')}</select></label>`;
}

function chartOf(
  name: string,
  title: string,
  note: string,
  columns: string[],
  csv: string,
): string {
  const heads = columns.map((column) => `<th scope="col" class="number">${column}</th>`).join('');
  return `<figure aria-labelledby="${name}"><figcaption><h2 id="${name}">${title}</h2><p>${note}</p></figcaption>
<div class="beside"><div><div class="keys" id="${name}-keys" role="group" aria-label="Lines of the chart"></div>
<div class="chart" id="${name}-chart" role="img" aria-label="${title} over time; the table has the same figures"></div></div>
<div><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr><th scope="col">Date</th>${heads}</tr></thead><tbody id="${name}-rows"></tbody></table></div>
<p><a href="${csv}" download>Both tables as CSV</a></p></div></div></figure>`;
}

/** `/stats`: stock and flows over time; the address holds the selection. */
export async function createStats({ db }: AppOptions, query: unknown): Promise<Page> {
  const snapshots = await findSnapshots(db);
  const asked = selectionQuery.parse(query);
  const selection = { ...asked, source: asked.source || (snapshots[0]?.source ?? '') };
  const [regions, sections, forms] = await Promise.all([
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
  const registryOptions = snapshots.map(({ source }): Option => [source, source.toUpperCase()]);
  const regionOptions = regions.map(({ slug, name }): Option => [slug, name]);
  const sectionOptions = sections.map(({ section, name }): Option => [
    section,
    `${section}: ${name}`,
  ]);
  const formOptions = forms.map(({ slug, label }): Option => [slug, label]);
  const addressOf = (change: Partial<Selection>) =>
    `/stats?${queryOf({ ...selection, ...change })}`;
  const csv = escapeHtml(`${basePath}/stats/series.csv?${queryOf(selection)}`);
  const date = (label: string, name: 'from' | 'to') =>
    `<label>${label} <input type="date" name="${name}" value="${selection[name]}"></label>`;
  return {
    path: '/stats',
    title: 'Statistics',
    content: `<h1>Statistics</h1>
<p class="lead">How many entries stand in a registry, and how many come and go.</p>
<div class="selection">
<form class="row" id="selection" action="/stats" aria-label="Selection">
${select('Registry', 'source', selection, registryOptions)}
${select('Voivodeship', 'voivodeship', selection, [['', 'Whole country'], ...regionOptions])}
${select('Section of activity', 'section', selection, [['', 'All sections'], ...sectionOptions])}
${select('Legal form', 'legal_form', selection, [['', 'All forms'], ...formOptions])}
${date('From', 'from')}
${date('To', 'to')}
${select('By', 'by', selection, [
  ['day', 'Day'],
  ['month', 'Month'],
])}
<button type="submit">Show</button>
</form>
<div><p class="soft">Active entries by voivodeship. <a href="${escapeHtml(addressOf({ voivodeship: '' }))}">Whole country</a></p>
${renderMap(regions, selection.voivodeship, (slug) => addressOf({ voivodeship: slug }))}</div>
</div>
<p id="summary" class="soft" role="status">The charts are loading.</p>
<noscript><p>The charts need JavaScript; the <a href="${csv}">CSV</a> does not.</p></noscript>
${chartOf('stock', 'Stock', 'Entries in the registry by status.', ['Active', 'Suspended', 'Deleted'], csv)}
${chartOf(
  'flow',
  'Flows',
  'What changed since the snapshot before. The first snapshot, the baseline, has nothing to be compared with.',
  ['New', 'Ended', 'Suspended', 'Resumed'],
  csv,
)}`,
    styles: ['uplot.css'],
    scripts: ['uplot.js', 'stats.js'],
  };
}
