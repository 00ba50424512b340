import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../sql/database.ts';
import { type NightOptions, runNightly } from './nightly.ts';
import { AlreadyRunning, NothingToDo, Refusal, WrongUsage } from './refusal.ts';
import { createReporter } from './report.ts';
import { listSources, loadSource } from './source.ts';
import type { RunSummary } from './summary.ts';

/** How a night ended, without being a fault. */
export type Outcome =
  | RunSummary
  | {
      source: string;
      dump_date: string;
      state: 'refused' | 'running' | 'nothing';
      message: string;
    };

/** Runs one night and turns its expected ends into an outcome; faults are thrown. */
export async function ingest(
  db: Database,
  logger: Logger,
  options: Omit<NightOptions, 'reporter' | 'now'>,
): Promise<Outcome> {
  const { source, dump_date } = options;
  const reporter = createReporter({ source, dump_date }, logger);
  try {
    return await runNightly(db, { ...options, reporter, now: () => new Date() });
  } catch (error) {
    const state = stateOf(error);
    if (!state) throw error;
    return { source, dump_date, state, message: (error as Error).message };
  } finally {
    reporter.close();
  }
}

function stateOf(error: unknown): 'refused' | 'running' | 'nothing' | undefined {
  if (error instanceof Refusal) return 'refused';
  if (error instanceof AlreadyRunning) return 'running';
  if (error instanceof NothingToDo) return 'nothing';
  return undefined;
}

/**
 * Runs the night over every dump of the inbox that is newer than what is published, source by
 * source and in the order of the dates. A refused full dump does not hold up the next one, which
 * holds all that it held; after a refused delta the later ones wait.
 */
export async function ingestInbox(
  db: Database,
  logger: Logger,
  inboxDir: string,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const source of await listSources()) {
    const { dump_kind } = await loadSource(source);
    for (const dump_date of await findDue(db, inboxDir, source)) {
      const path = join(inboxDir, source, dump_date);
      const outcome = await ingest(db, logger, { source, path, dump_date });
      if (outcome.state === 'nothing') continue;
      outcomes.push(outcome);
      if (outcome.state === 'running') break;
      if (outcome.state === 'refused' && dump_kind === 'delta') break;
    }
  }
  return outcomes;
}

/** The dates in the inbox of a source that come after the newest published one. */
async function findDue(db: Database, inboxDir: string, source: string): Promise<string[]> {
  const names = await readdir(join(inboxDir, source)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new WrongUsage(`The inbox cannot be read: ${cause.message}`, { cause });
  });
  const { rows } = await db.pool.query<{ newest: string | null }>(
    `select max(dump_date) as newest
     from registry.run
     where source = $1 and state = 'published'`,
    [source],
  );
  const newest = rows[0]?.newest ?? '';
  return names.filter((name) => isDate(name) && name > newest).toSorted();
}

/** Whether a text is a day of the calendar, YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
