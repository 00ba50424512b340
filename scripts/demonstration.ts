import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { readDump } from '../pipeline/dump/files.ts';
import { ingestInbox, listInbox, type Outcome } from '../pipeline/night/inbox.ts';
import { listSources, loadSource } from '../pipeline/sources/source.ts';
import type { Database } from '../sql/database.ts';

/** Laid out as INBOX_DIR is: `<source>/<date>/`. */
const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));

/**
 * Runs the night over the fixture days that are newer than what is published; over none of them in a
 * database that holds anything else, for which they would be the next days of its registry.
 *
 * @param signal aborted when the process is about to end
 * @param extent all days, or only the first one of all sources
 * @returns how the nights ended; undefined when the database holds something else
 */
export async function loadFixtures(
  db: Database,
  logger: Logger,
  signal: AbortSignal,
  extent: 'first day' | 'all',
): Promise<Outcome[] | undefined> {
  const { rows } = await db.pool.query<{ is_foreign: boolean }>(
    `select exists (
       select from registry.run
       join registry.run_file using (run_id)
       where run.state = 'published' and run_file.sha256 <> all ($1::text[])
     ) as is_foreign`,
    [await hashFixtures()],
  );
  if (rows[0]!.is_foreign) return undefined;
  const days = await Promise.all((await listSources()).map((name) => listInbox(fixtures, name)));
  const lastDate = extent === 'first day' ? days.flat().toSorted()[0] : undefined;
  return await ingestInbox({ db, logger, inboxDir: fixtures, signal, lastDate, isBrief: true });
}

/** The SHA-256 of every file of the fixture dumps. */
async function hashFixtures(): Promise<string[]> {
  const hashes: string[] = [];
  for (const name of await listSources()) {
    const source = await loadSource(name);
    for (const date of await listInbox(fixtures, name)) {
      const { files } = await readDump(source, join(fixtures, name, date));
      hashes.push(...files.map(({ sha256 }) => sha256));
    }
  }
  return hashes;
}

/** What a published snapshot changed. */
export interface Day {
  source: string;
  date: string;
  new: number;
  updated: number;
  deleted: number;
  events: number;
  entries: number;
}

/** The newest published snapshots, the newest last. */
export async function readDays(db: Database): Promise<Day[]> {
  const { rows } = await db.pool.query<Day>(
    `select
       source, dump_date as date, new_count::float8 as new, updated_count::float8 as updated,
       deleted_count::float8 as deleted, event_count::float8 as events,
       entry_count::float8 as entries
     from registry.run
     where state = 'published'
     order by dump_date desc, source
     limit 15`,
  );
  return rows.toReversed();
}

/** A table, a line a snapshot. */
export function describeDays(days: readonly Day[]): string {
  if (days.length === 0) return 'Nothing is published yet.';
  const columns = ['new', 'updated', 'deleted', 'events', 'entries'] as const;
  const width = Math.max(...days.map(({ source }) => source.length));
  const line = (day: string, cells: readonly string[]) =>
    `  ${day.padEnd(width + 12)}${cells.map((cell) => cell.padStart(12)).join('')}`;
  const lines = days.map((day) =>
    line(
      `${day.source.padEnd(width)}  ${day.date}`,
      columns.map((column) => day[column].toLocaleString('en')),
    ),
  );
  return ['', line('published', columns), ...lines, ''].join('\n');
}
