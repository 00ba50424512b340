import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { type Database, queryFile, runFile } from '../../sql/connection/database.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { dayIn } from '../../sql/country.ts';
import type { DumpLine } from '../fetch/registry-service.ts';
import { loadSource } from '../sources/source.ts';
import { AlreadyRunning } from '../errors.ts';
import { imports } from '../figures/import-retries.ts';
import { whileLocked } from '../night/lock.ts';
import { runNightly } from '../night/nightly.ts';
import { Reporter } from '../night/reporter.ts';
import { inParallel } from '../parallel.ts';
import type { NamedSource } from './on-demand-registries.ts';

interface ImportOptions {
  db: Database;
  logger: Logger;
  sources: readonly NamedSource[];
  now: () => Date;
  signal: AbortSignal;
}

/** A watched number that is queued because its company was unknown, and that is now due to be requested. */
interface Due {
  identifier_type: string;
  identifier_value: string;
  /** The number of attempts so far in which the registry has not answered. */
  attempt_count: number;
  account_id: string;
  /** Whether the account has ever bought credits. */
  is_buyer: boolean;
  /** Whether a company with this number has been published since the number was queued. */
  is_known: boolean;
}

/** The outcome of the requests for one watched number. */
interface Asking {
  due: Due;
  /** The registry that knows the number or failed to answer; if none, a requested registry with `isComplete`. */
  source?: NamedSource | undefined;
  lines: DumpLine[];
  /** The error message, if a registry failed to answer or the import of its answer failed. */
  message?: string;
}

/**
 * Requests the queued numbers that are due from the registries, publishes the answers, and marks the watches of these
 * numbers as ready. Accounts take turns with one number each, so that an account with many numbers does not delay other
 * accounts. The watches of a number fail if no registry knows the number, or after `imports.attempts` attempts without
 * an answer, or after seven days (13_watch.sql). Until then, a number without an answer is requested again later.
 */
async function importAwaited(options: ImportOptions): Promise<void> {
  const { db, now, signal } = options;
  // The accounts with the last requested number, one that has bought credits and one that has not.
  let [buyer, other] = ['0', '0'];
  while (!signal.aborted) {
    const values = [now(), imports.batch, imports.width, buyer, other];
    const due = await queryFile<Due>(db.pool, 'import/find_due.sql', values);
    if (due.length === 0) break;
    buyer = due.findLast(({ is_buyer }) => is_buyer)?.account_id ?? buyer;
    other = due.findLast(({ is_buyer }) => !is_buyer)?.account_id ?? other;
    const asked = await inParallel(due, imports.width, (number) => askFor(options, number));
    const had = asked.filter(({ lines }) => lines.length > 0);
    for (const [source, some] of Map.groupBy(had, (asking) => asking.source!)) {
      await land(options, source, some);
    }
    await settle(options, asked);
  }
}

/** Requests a number from each registry in turn until one knows it or fails. Skips the number of a known company. */
async function askFor({ sources }: ImportOptions, due: Due): Promise<Asking> {
  if (due.is_known) return { due, lines: [] };
  const { identifier_type, identifier_value } = due;
  const asked = sources.filter(({ answers }) => answers.includes(identifier_type));
  for (const source of asked) {
    try {
      const lines = await source.ask(identifier_type, identifier_value);
      if (lines.length > 0) return { due, source, lines };
    } catch (error) {
      return { due, source, lines: [], message: (error as Error).message };
    }
  }
  return { due, source: asked.find(({ isComplete }) => isComplete), lines: [] };
}

/**
 * Publishes all answers of one registry together; if that fails, one by one. If a single answer cannot be published,
 * its number gets the error message.
 */
async function land(
  options: ImportOptions,
  source: NamedSource,
  had: readonly Asking[],
): Promise<void> {
  const all = had.flatMap(({ lines }) => lines);
  // Two numbers may belong to one company, so equal lines are written to the dump only once.
  const lines = new Map(all.map((line) => [line.file + line.line, line]));
  const duplicates = all.flatMap(({ duplicate }) => duplicate ?? []);
  try {
    await landAnswers(options, source, [...lines.values()]);
    const values = [source.source, JSON.stringify(duplicates), options.now()];
    await runFile(options.db.pool, 'import/past_keys.sql', values);
    const counts = { source: source.source, numbers: had.length, duplicates };
    options.logger.info(counts, 'import: answers');
  } catch (error) {
    options.signal.throwIfAborted();
    if (isLostConnection(error)) throw error;
    const failure = { lines: [], message: (error as Error).message };
    if (had.length === 1) Object.assign(had[0]!, failure);
    else for (const asking of had) await land(options, source, [asking]);
  }
}

/** Writes a registry's answers into a dump, and publishes the dump in the same way as the nightly job. */
export async function landAnswers(
  { db, logger, now, signal }: Omit<ImportOptions, 'sources'>,
  source: NamedSource,
  lines: readonly DumpLine[],
): Promise<void> {
  const { country_code } = await loadSource(source.source);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'registry-import-'));
  for (const [file, ofFile] of Map.groupBy(lines, (line) => line.file)) {
    const texts = [...(source.header ? [source.header] : []), ...ofFile.map(({ line }) => line)];
    await writeFile(join(folder.path, file), `${texts.join('\n')}\n`);
  }
  const night = {
    source: source.source,
    path: folder.path,
    dump_date: dayIn(now(), country_code),
    isImport: true,
    now,
    reporter: Object.assign(new Reporter(), {
      note: (sentence: string) => logger.info(`import: ${sentence}`),
    }),
  };
  // `signal` aborts only the wait for another night, because `settle` must run after a publication.
  await pRetry(() => runNightly(db, night), {
    ...imports.turn,
    shouldRetry: ({ error }) => error instanceof AlreadyRunning && !signal.aborted,
  });
}

/**
 * Marks the watches of a number as ready if its company is now known, for example because a night has published it.
 * Otherwise marks the watches as failed, or schedules the number's next request.
 */
async function settle({ db, logger, now }: ImportOptions, askings: Asking[]): Promise<void> {
  const asked = askings.map(({ due, source, lines, message: last_error }) => {
    const { identifier_type, identifier_value, attempt_count } = due;
    const awaited = { identifier_type, identifier_value };
    const log = logger.child({ ...awaited, attempt_count, reason: last_error });
    const attempts = attempt_count + 1;
    const isRetried = last_error !== undefined && attempts < imports.attempts;
    if (isRetried || !source || lines.length > 0) {
      if (isRetried) log.warn('import: asked again later');
      const { firstWait_ms, waitFactor, secondLook_ms } = imports;
      const wait_ms = isRetried ? firstWait_ms * waitFactor ** attempt_count : secondLook_ms;
      const next_attempt_at = new Date(now().getTime() + wait_ms);
      const attempt = { attempt_count: isRetried ? attempts : 0, last_error, next_attempt_at };
      return { ...awaited, ...attempt };
    }
    const isUnknown = last_error === undefined;
    if (!isUnknown) log.error('import: given up');
    const code = isUnknown ? 'unknown' : 'unanswered';
    const registry = source.source.toUpperCase();
    const what = isUnknown
      ? 'does not know this number'
      : `could not be asked in ${attempts} attempts`;
    // The reason of the failure is stored in parts, from which mails are written, and as a sentence for the API.
    const failure = { code, registry, attempts, sentence: `${registry} ${what}` };
    return { ...awaited, failure };
  });
  const values = [now(), JSON.stringify(asked)];
  await db.pool.query('select customer.advance_watches($1, $2)', values);
}

/**
 * Requests the watched numbers that are due, and publishes the answers. Throws `AlreadyRunning` if another worker is
 * already requesting watched numbers.
 */
export async function importDue(options: ImportOptions): Promise<void> {
  const { db, now, signal } = options;
  const { rowCount } = await db.pool.query(
    `select from customer.watch where state = 'queued' and next_attempt_at <= $1 limit 1`,
    [now()],
  );
  if (rowCount === 0) return;
  await whileLocked(db.pool, 'import', 'Another worker imports', (lost) =>
    importAwaited({ ...options, signal: AbortSignal.any([signal, lost]) }),
  );
}
