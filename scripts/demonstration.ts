import { join } from 'node:path';
import type { Database } from '../sql/connection/database.ts';
import { figure } from '../pipeline/written-figure.ts';

/** The folder of the fixture days, which has the layout of INBOX_DIR: `<source>/<date>/`. */
export const fixtures = join(import.meta.dirname, '../fixtures');

/** The first fixture day of all sources. */
export const firstDay = '2026-11-02';

const figures = ['new', 'updated', 'deleted', 'events', 'entries'] as const;

/** Returns the 20 newest published snapshots, the newest last. */
export async function readDays(db: Database) {
  const { rows } = await db.pool.query<
    Record<(typeof figures)[number] | 'source' | 'date', string>
  >(
    `select source, dump_date as date, new_count as new, updated_count as updated,
       deleted_count as deleted, event_count as events, entry_count as entries
     from registry.run
     where state = 'published'
     order by dump_date desc, source
     limit 20`,
  );
  return rows.toReversed();
}

/** Returns a table as text, with a line for each snapshot. */
export function describeDays(days: Awaited<ReturnType<typeof readDays>>): string {
  if (days.length === 0) return 'Nothing is published yet.';
  const width = Math.max(...days.map(({ source }) => source.length));
  const line = (day: string, cells: readonly string[]) =>
    `  ${day.padEnd(width + 12)}${cells.map((cell) => cell.padStart(12)).join('')}`;
  const lines = days.map((day) => {
    const cells = figures.map((name) => figure(Number(day[name])));
    return line(`${day.source.padEnd(width)}  ${day.date}`, cells);
  });
  return ['', line('published', figures), ...lines, ''].join('\n');
}
