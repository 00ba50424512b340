import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../sql/database.ts';
import { describeFault } from '../fault.ts';
import { type NightOptions, runNightly } from './nightly.ts';
import { AlreadyRunning, NothingToDo, Refusal, WrongUsage } from '../errors.ts';
import { createReporter } from '../console/report.ts';
import { listSources, loadSource } from '../sources/source.ts';
import type { RunSummary } from './summary.ts';

/** How a night ended; `failed` only where others follow it, for a fault is thrown. */
export type Outcome =
  | RunSummary
  | {
      source: string;
      dump_date: string;
      state: 'refused' | 'running' | 'nothing' | 'failed';
      message: string;
    };

/**
 * Runs one night and turns its expected ends into an outcome; faults are thrown.
 *
 * @param signal aborted when the process is about to end: the run then says nothing more
 */
export async function ingest(
  db: Database,
  logger: Logger,
  options: Omit<NightOptions, 'reporter' | 'now'>,
  signal?: AbortSignal,
): Promise<Outcome> {
  const { source, dump_date } = options;
  const reporter = createReporter({ source, dump_date }, logger);
  const close = () => reporter.close();
  signal?.addEventListener('abort', close);
  try {
    return await runNightly(db, { ...options, reporter, now: () => new Date() });
  } catch (error) {
    const state = stateOf(error);
    if (!state) throw error;
    return { source, dump_date, state, message: (error as Error).message };
  } finally {
    signal?.removeEventListener('abort', close);
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
 * Runs the night over every dump of the inbox that is newer than what is published of its source, in
 * the order of the dates and, of one date, of the sources' names. A refused full dump does not hold
 * up the next one, which holds all that it held; after a refused delta, and after a fault, the later
 * ones of the source wait.
 *
 * @param signal aborted when the process is about to end
 * @param lastDate the newest day to take; absent: all
 */
export async function ingestInbox(
  db: Database,
  logger: Logger,
  inboxDir: string,
  signal?: AbortSignal,
  lastDate?: string,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = new Set<string>();
  for (const { source, dump_date, dump_kind } of await findAllDue(db, inboxDir)) {
    if (waiting.has(source)) continue;
    if (lastDate !== undefined && dump_date > lastDate) break;
    const path = join(inboxDir, source, dump_date);
    const outcome = await ingest(db, logger, { source, path, dump_date }, signal).catch(
      (error: unknown): Outcome => {
        signal?.throwIfAborted();
        // What the nights before it did is still to be told.
        return { source, dump_date, state: 'failed', message: describeFault(error) };
      },
    );
    if (outcome.state === 'nothing') continue;
    outcomes.push(outcome);
    const { state } = outcome;
    const holdsUp = state === 'refused' ? dump_kind === 'delta' : state !== 'published';
    if (holdsUp) waiting.add(source);
  }
  return outcomes;
}

/** The dumps of all sources, in the order in which they are taken. */
async function findAllDue(db: Database, inboxDir: string) {
  const dumps: { source: string; dump_date: string; dump_kind: string }[] = [];
  for (const source of await listSources()) {
    const { dump_kind } = await loadSource(source);
    for (const dump_date of await findDue(db, inboxDir, source)) {
      dumps.push({ source, dump_date, dump_kind });
    }
  }
  const key = ({ dump_date, source }: (typeof dumps)[number]) => `${dump_date} ${source}`;
  return dumps.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The dates in the inbox of a source that come after the newest published one. */
async function findDue(db: Database, inboxDir: string, source: string): Promise<string[]> {
  const newest = (await findNewestDate(db, source)) ?? '';
  return (await listInbox(inboxDir, source)).filter((date) => date > newest);
}

/** The days of which dumps of a source lie in the inbox, the oldest first. */
export async function listInbox(inboxDir: string, source: string): Promise<string[]> {
  const names = await readdir(join(inboxDir, source)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new WrongUsage(`The inbox cannot be read: ${cause.message}`, { cause });
  });
  return names.filter(isDate).toSorted();
}

/** The day of the newest dump of a source that is published. */
export async function findNewestDate(db: Database, source: string): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ newest: string | null }>(
    `select max(dump_date) as newest
     from registry.run
     where source = $1 and state = 'published'`,
    [source],
  );
  return rows[0]?.newest ?? undefined;
}

/** Whether a text is a day of the calendar, YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
