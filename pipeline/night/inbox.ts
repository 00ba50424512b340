import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../sql/connection/database.ts';
import { isWriterGone } from '../../sql/connection/lost-connection.ts';
import { findNear } from '../../sql/process/suggest.ts';
import { isDate } from '../calendar.ts';
import type { Environment } from '../environment.ts';
import { type GuardFinding, Refusal, stateOf, WrongUsage } from '../errors.ts';
import { findKind } from '../dump/files.ts';
import { describeFault } from '../fault.ts';
import { listSources, loadSource } from '../sources/source.ts';
import type { NightOptions } from './context.ts';
import { inLastSession } from './lock.ts';
import { runNightly } from './nightly.ts';
import { Reporter } from './reporter.ts';
import { dropIdleTables, findNewestPublished } from './run-rows.ts';
import type { RunSummary } from './summary.ts';

/** The outcome of a run whose dump was refused: by the guards, or because the dump cannot be read. */
export interface RefusedRun {
  source: string;
  dump_date: string;
  state: 'refused';
  message: string;
  /** The number of the run; null for a dry run and for a folder without a dump, whose runs are deleted. */
  run_id: number | null;
  /** The findings of the guards. A dump that was refused without findings cannot be accepted with `--accept`. */
  refusals: readonly GuardFinding[];
  path: string;
  /** The day of the newest published snapshot of the source; null when no snapshot is published. */
  published_date: string | null;
}

/**
 * The outcome of a night. The state `nothing` means that the files of the dump are published already
 * (check-date-and-same-files.ts). `ingestInbox` returns the state `failed` where `ingest` throws.
 */
export type Outcome =
  | RunSummary
  | RefusedRun
  | { source: string; dump_date: string; state: 'running' | 'nothing' | 'failed'; message: string };

interface NightsContext {
  db: Database;
  environment: Pick<Environment, 'inboxDir' | 'recodedFrom'>;
  logger: Logger;
  /** The signal that is aborted when the process is about to end. The abort also ends the output of the reporter. */
  signal: AbortSignal;
  isBrief?: boolean;
}

/** Runs one night and returns its outcome. Throws any unexpected error, to which it adds the `run_id` of the night. */
export async function ingest(
  { db, environment: { recodedFrom }, logger, signal, isBrief }: NightsContext,
  options: Omit<NightOptions, 'reporter' | 'now' | 'recodedFrom'>,
): Promise<Outcome> {
  const { source, dump_date } = options;
  const reporter = new Reporter({ source, dump_date }, logger, isBrief);
  const close = () => reporter.close();
  signal.addEventListener('abort', close);
  try {
    return await runNightly(db, { ...options, recodedFrom, reporter, now: () => new Date() });
  } catch (error) {
    const state = stateOf(error);
    const { message } = error as Error;
    // The outcome of a dry run has no number, because its row of `registry.run` is deleted.
    const run_id = options.isDryRun ? null : (reporter.run_id ?? null);
    if (state === 'refused') return await refusedRun(db, options, error as Refusal, run_id);
    if (state !== 'failed') return { source, dump_date, state, message };
    if (error instanceof Error && run_id !== null) Object.assign(error, { run_id });
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
    reporter.close();
  }
}

export interface InboxOptions extends NightsContext {
  /** The sources of which `ingestInbox` ingests dumps; if absent, all sources. */
  sources?: ReadonlySet<string> | undefined;
  /** The last day of which `ingestInbox` ingests dumps; if absent, all days. */
  lastDate?: string | undefined;
  onOutcome?: ((outcome: Outcome) => void) | undefined;
  /** Whether `ingestInbox` throws an error when the database connection is lost; if not, it returns `failed`. */
  isRepeated?: boolean | undefined;
}

/**
 * Runs a night for every dump in the inbox that is newer than its source's newest snapshot, ordered by date, then by
 * source. After a refused full dump, later deltas of the source are skipped, but not later full dumps, which contain
 * all entries. After a refused delta, an error, or another process's run, all later dumps of the source are skipped.
 */
export async function ingestInbox(options: InboxOptions): Promise<Outcome[]> {
  const { db, environment, lastDate, onOutcome } = options;
  const { inboxDir } = environment;
  const outcomes: Outcome[] = [];
  /** `waiting`: sources whose further dumps this run skips. `lacking`: sources whose further deltas it skips. */
  const [waiting, lacking] = [new Set<string>(), new Set<string>()];
  for (const { source, dump_date, dump_kind } of await findAllDue(db, inboxDir)) {
    if (options.sources?.has(source) === false) continue;
    if (waiting.has(source) || (dump_kind === 'delta' && lacking.has(source))) continue;
    if (lastDate !== undefined && dump_date > lastDate) break;
    const dump = { source, dump_date, path: join(inboxDir, source, dump_date) };
    // An error is returned as an outcome, so that the outcomes of earlier nights are still printed.
    const outcome = await ingest(options, dump).catch(async (error: unknown): Promise<Outcome> => {
      options.signal.throwIfAborted();
      if (options.isRepeated && isWriterGone(error)) throw error;
      const message = describeFault(error);
      return error instanceof WrongUsage
        ? refusedRun(db, dump, new Refusal(message), null)
        : { source, dump_date, state: 'failed', message };
    });
    if (outcome.state === 'nothing') continue;
    outcomes.push(outcome);
    onOutcome?.(outcome);
    const { state } = outcome;
    if (state === 'published') lacking.delete(source);
    else if (state === 'refused' && dump_kind !== 'delta') lacking.add(source);
    else waiting.add(source);
  }
  // If dropping the tables of a night fails, the error is ignored, because the next `ingestInbox` drops them.
  for (const source of await listSources()) {
    await inLastSession(db.pool, (client) => dropIdleTables(client, source)).catch(() => undefined);
  }
  return outcomes;
}

async function refusedRun(
  { pool }: Database,
  { source, dump_date, path }: Pick<NightOptions, 'source' | 'dump_date' | 'path'>,
  { message, findings: refusals }: Refusal,
  run_id: number | null,
): Promise<RefusedRun> {
  const published_date = (await findNewestPublished(pool, source))?.dump_date ?? null;
  return { run_id, source, dump_date, state: 'refused', message, published_date, refusals, path };
}

/** Returns the dumps that are newer than their source's newest snapshot, ordered by date, then by source. */
async function findAllDue(db: Database, inboxDir: string) {
  const dumps: { source: string; dump_date: string; dump_kind: string }[] = [];
  for (const source of await listSources()) {
    const description = await loadSource(source);
    const newest = (await findNewestPublished(db.pool, source))?.dump_date ?? '';
    for (const dump_date of await listInbox(inboxDir, source)) {
      if (dump_date <= newest) continue;
      const dump_kind = await findKind(description, join(inboxDir, source, dump_date));
      dumps.push({ source, dump_date, dump_kind });
    }
  }
  return dumps.toSorted((a, b) => a.dump_date.localeCompare(b.dump_date));
}

/** Returns the days of a source's dumps in the inbox, the oldest first. */
export async function listInbox(inboxDir: string, source: string): Promise<string[]> {
  const entries = await listEntries(join(inboxDir, source)).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return [];
      throw new WrongUsage(`The inbox cannot be read: ${cause.message}`, { cause });
    },
  );
  // Symbolic links are ignored, because a writer of the inbox could link any file that this process can read.
  const days = entries.filter((entry) => isDate(entry.name) && !entry.isSymbolicLink());
  return days.map(({ name }) => name);
}

/**
 * Returns a sentence for each ignored folder of the inbox, without hidden folders. Creates a default inbox that is
 * absent. Throws `WrongUsage` when the inbox cannot be read.
 */
export async function inspectInbox(inboxDir: string, isDefault: boolean): Promise<string[]> {
  if (isDefault) {
    await mkdir(inboxDir, { recursive: true }).catch((cause: Error) => {
      throw new WrongUsage(`The inbox below DATA_DIR cannot be made: ${cause.message}`, { cause });
    });
  }
  const entries = await listFolders(inboxDir).catch((cause: NodeJS.ErrnoException) => {
    const what = cause.code === 'ENOENT' ? 'there is no such folder' : cause.message;
    throw new WrongUsage(`INBOX_DIR cannot be read: ${inboxDir}: ${what}`, { cause });
  });
  const sources = await listSources();
  const ignored = entries.map(async ({ name }) => {
    if (!sources.includes(name)) {
      const [near] = findNear(name, sources, 1);
      return `${name} is ignored: no registry has this name${near ? `; is it ${near}?` : ''}`;
    }
    const days = await listFolders(join(inboxDir, name));
    return days
      .filter((day) => day.isSymbolicLink() || !isDate(day.name))
      .map((day) => {
        const link = day.isSymbolicLink() && 'it is a symbolic link';
        return `${join(name, day.name)} is ignored: ${link || 'its name is no day YYYY-MM-DD'}`;
      });
  });
  return (await Promise.all(ignored)).flat();
}

async function listFolders(folder: string) {
  const entries = await listEntries(folder);
  return entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.'));
}

async function listEntries(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
