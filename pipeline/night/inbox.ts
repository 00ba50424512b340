import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../sql/database.ts';
import { findNear } from '../../sql/suggest.ts';
import { isDate } from '../calendar.ts';
import { createReporter } from '../console/progress.ts';
import { AlreadyRunning, type GuardFinding, NothingToDo, Refusal, WrongUsage } from '../errors.ts';
import { describeFault } from '../fault.ts';
import { listSources, loadSource } from '../sources/source.ts';
import type { NightOptions } from './night.ts';
import { runNightly } from './nightly.ts';
import type { RunSummary } from './summary.ts';

/** A run that its guards, or the dump itself, kept from being published. */
export interface RefusedRun {
  source: string;
  dump_date: string;
  state: 'refused';
  message: string;
  /** Null: the folder held no dump, so that no run was begun. */
  run_id: number | null;
  /** What the guards found; empty: no reason can accept the dump. */
  findings: readonly GuardFinding[];
  path: string;
  /** The day of the snapshot that readers see; null: none is published. */
  published_date: string | null;
}

/** How a night ended; `failed` only where others follow it, for a fault is thrown. */
export type Outcome =
  | RunSummary
  | RefusedRun
  | { source: string; dump_date: string; state: 'running' | 'nothing' | 'failed'; message: string };

/** What the nights of a command share. */
export interface NightsContext {
  db: Database;
  logger: Logger;
  /** Aborted when the process is about to end: a run then says nothing more. */
  signal?: AbortSignal | undefined;
  /** Whether a terminal shows only what is under way. */
  isBrief?: boolean | undefined;
}

/** Runs one night and turns its expected ends into an outcome; faults are thrown, with their `run_id`. */
export async function ingest(
  { db, logger, signal, isBrief }: NightsContext,
  options: Omit<NightOptions, 'reporter' | 'now'>,
): Promise<Outcome> {
  const { source, path, dump_date } = options;
  const reporter = createReporter({ source, dump_date }, logger, { isBrief });
  const close = () => reporter.close();
  signal?.addEventListener('abort', close);
  try {
    return await runNightly(db, { ...options, reporter, now: () => new Date() });
  } catch (error) {
    const { message } = error as Error;
    const run_id = reporter.run_id ?? null;
    if (error instanceof Refusal) {
      const published_date = (await findNewestDate(db, source)) ?? null;
      const { findings } = error;
      const state = 'refused';
      return { source, dump_date, state, message, run_id, findings, path, published_date };
    }
    if (error instanceof AlreadyRunning) return { source, dump_date, state: 'running', message };
    if (error instanceof NothingToDo) return { source, dump_date, state: 'nothing', message };
    if (error instanceof Error && run_id !== null) Object.assign(error, { run_id });
    throw error;
  } finally {
    signal?.removeEventListener('abort', close);
    reporter.close();
  }
}

/** What is taken of an inbox. */
export interface InboxOptions extends NightsContext {
  inboxDir: string;
  /** The newest day to take; absent: all. */
  lastDate?: string | undefined;
  /** Called after each night. */
  onOutcome?: ((outcome: Outcome) => void) | undefined;
}

/**
 * Runs the night over every dump of the inbox that is newer than what is published of its source, in
 * the order of the dates and, of one date, of the sources' names. A refused full dump does not hold
 * up the next one, which holds all that it held; after a refused delta, and after a fault, the later
 * ones of the source wait.
 */
export async function ingestInbox(options: InboxOptions): Promise<Outcome[]> {
  const { db, inboxDir, lastDate, onOutcome } = options;
  const outcomes: Outcome[] = [];
  const waiting = new Set<string>();
  for (const { source, dump_date, dump_kind } of await findAllDue(db, inboxDir)) {
    if (waiting.has(source)) continue;
    if (lastDate !== undefined && dump_date > lastDate) break;
    const path = join(inboxDir, source, dump_date);
    const outcome = await ingestOne(options, { source, path, dump_date });
    if (outcome.state === 'nothing') continue;
    outcomes.push(outcome);
    onOutcome?.(outcome);
    const { state } = outcome;
    const holdsUp = state === 'refused' ? dump_kind === 'delta' : state !== 'published';
    if (holdsUp) waiting.add(source);
  }
  return outcomes;
}

/** One of several nights: its fault is an outcome, since those before it have yet to be reported. */
async function ingestOne(
  context: NightsContext,
  dump: { source: string; path: string; dump_date: string },
): Promise<Outcome> {
  const { source, path, dump_date } = dump;
  try {
    return await ingest(context, dump);
  } catch (error) {
    context.signal?.throwIfAborted();
    const message = describeFault(error);
    if (!(error instanceof WrongUsage)) return { source, dump_date, state: 'failed', message };
    const published_date = (await findNewestDate(context.db, source)) ?? null;
    const nothing = { run_id: null, findings: [], published_date };
    return { source, dump_date, state: 'refused', message, path, ...nothing };
  }
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

/**
 * Makes sure of the inbox: the default one is made where it is absent. Throws `WrongUsage` for another
 * one that is absent or no folder.
 *
 * @returns a sentence for each folder in it that is ignored; hidden ones are ignored in silence
 */
export async function inspectInbox(inboxDir: string, isDefault: boolean): Promise<string[]> {
  if (isDefault) await mkdir(inboxDir, { recursive: true });
  const folders = await listFolders(inboxDir).catch((cause: NodeJS.ErrnoException) => {
    const what = cause.code === 'ENOENT' ? 'there is no such folder' : cause.message;
    throw new WrongUsage(`INBOX_DIR cannot be read: ${inboxDir}: ${what}`, { cause });
  });
  const sources = await listSources();
  const strangers = folders
    .filter((name) => !sources.includes(name))
    .map((name) => {
      const [near] = findNear(name, sources, 1);
      return `${name} is ignored: no registry has this name${near ? `; is it ${near}?` : ''}`;
    });
  const misnamed = sources
    .filter((source) => folders.includes(source))
    .map(async (source) =>
      (await listFolders(join(inboxDir, source)))
        .filter((name) => !isDate(name))
        .map((name) => `${join(source, name)} is ignored: its name is no day YYYY-MM-DD`),
    );
  return [...strangers, ...(await Promise.all(misnamed)).flat()];
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted();
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
