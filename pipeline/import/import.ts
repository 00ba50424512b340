import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Database, queryFile, runFile } from '../../sql/connection/database.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { dayIn } from '../../sql/country.ts';
import { loadSource } from '../sources/source.ts';
import { AlreadyRunning } from '../errors.ts';
import { imports } from '../figures.ts';
import { runNightly } from '../night/nightly.ts';
import { NightReporter } from '../night/reporter.ts';
import { inParallel } from '../parallel.ts';

/** As customers name companies: a type of `identifier_type.csv` of a country. */
type IdentifierType = string;

/** What a registry answered, as it stands in a dump of it. */
export interface DumpLine {
  file: string;
  line: string;
  /** The key that was asked for, where the registry counts it as a duplicate of the entry in the line. */
  duplicate?: { old_key: string; new_key: string };
}

/** A registry that can be asked for one company. */
export interface OnDemandSource {
  /** Its folder below `sources/`; in capitals its name for people. */
  source: string;
  /** By what it can be asked. */
  answers: readonly IdentifierType[];
  /** Whether it holds every company that has such a number. */
  isComplete: boolean;
  /** The first line of every file of the dump, where its files have one. */
  header?: string;
  /** No lines: the registry does not know the number. Throws a sentence when there is no answer. */
  ask(type: IdentifierType, value: string, signal: AbortSignal): Promise<DumpLine[]>;
  close?(): Promise<void>;
}

interface ImportOptions {
  db: Database;
  logger: Logger;
  sources: readonly OnDemandSource[];
  now: () => Date;
  signal: AbortSignal;
}

interface Awaited {
  identifier_type: IdentifierType;
  identifier_value: string;
  /** So far, without an answer. */
  attempt_count: number;
}

/** A number whose turn it is. */
interface Due extends Awaited {
  account_id: string;
  /** Whether the account has ever bought credits. */
  is_buyer: boolean;
  /** Whether a company has it by now. */
  is_known: boolean;
}

/** The outcome of asking for a number. */
type Asking = { awaited: Awaited } & (
  | { state: 'had'; source: OnDemandSource; lines: DumpLine[] }
  /** No registry knows it, and `source` knows every one. */
  | { state: 'unknown'; source: OnDemandSource }
  /** No registry knows it: the next dumps may bring it. */
  | { state: 'open' }
  | { state: 'fault'; source: OnDemandSource; message: string }
);
type Had = Extract<Asking, { state: 'had' }>;

/**
 * Asks the registries for every awaited number that is due, and writes their answers, which makes the
 * watches ready. Accounts have one number in turn, so that none waits behind the numbers of another. A
 * number fails that no registry knows, or that has no answer after `imports.attempts`. Other numbers wait for
 * a later attempt.
 */
export async function importAwaited(options: ImportOptions): Promise<void> {
  const { db, now, signal } = options;
  // The accounts that had the last turns, buyers and others.
  let [buyer, other] = ['0', '0'];
  while (!signal.aborted) {
    const values = [now(), imports.batch, imports.width, buyer, other];
    const due = await queryFile<Due>(db.pool, 'import/find_due.sql', values);
    if (due.length === 0) break;
    buyer = due.findLast(({ is_buyer }) => is_buyer)?.account_id ?? buyer;
    other = due.findLast(({ is_buyer }) => !is_buyer)?.account_id ?? other;
    const unknown = due.filter(({ is_known }) => !is_known);
    const asked = await inParallel(unknown, imports.width, (awaited) => askFor(options, awaited));
    await settle(options, due, await land(options, asked));
  }
}

/** Asks one registry after another until one knows the number. */
async function askFor({ sources, signal }: ImportOptions, due: Awaited): Promise<Asking> {
  const { identifier_type, identifier_value, attempt_count } = due;
  const awaited = { identifier_type, identifier_value, attempt_count };
  const asked = sources.filter(({ answers }) => answers.includes(identifier_type));
  for (const source of asked) {
    try {
      const lines = await source.ask(identifier_type, identifier_value, signal);
      if (lines.length > 0) return { awaited, state: 'had', source, lines };
    } catch (error) {
      signal.throwIfAborted();
      return { awaited, state: 'fault', source, message: (error as Error).message };
    }
  }
  const complete = asked.find(({ isComplete }) => isComplete);
  return complete ? { awaited, state: 'unknown', source: complete } : { awaited, state: 'open' };
}

async function land(options: ImportOptions, askings: readonly Asking[]): Promise<Asking[]> {
  const had = askings.filter((asking) => asking.state === 'had');
  const landed: Asking[] = askings.filter((asking) => asking.state !== 'had');
  for (const ofSource of Map.groupBy(had, (asking) => asking.source).values()) {
    landed.push(...(await landTogether(options, ofSource)));
  }
  return landed;
}

/** Writes the answers of one registry; one by one where one of them cannot be written. */
async function landTogether(options: ImportOptions, had: readonly Had[]): Promise<Asking[]> {
  const [{ source }] = had as [Had];
  const all = had.flatMap(({ lines }) => lines);
  // Two numbers may be of one company.
  const lines = new Map(all.map((line) => [line.file + line.line, line]));
  const duplicates = all.flatMap(({ duplicate }) => duplicate ?? []);
  try {
    await landAnswers(options, source, [...lines.values()]);
    const values = [source.source, JSON.stringify(duplicates), options.now()];
    await runFile(options.db.pool, 'import/duplicates.sql', values);
    for (const { old_key, new_key } of duplicates) {
      options.logger.info(`import: ${old_key} is a duplicate of ${new_key}`);
    }
    options.logger.info({ source: source.source, numbers: had.length }, 'import: answers');
    return [...had];
  } catch (error) {
    options.signal.throwIfAborted();
    if (isLostConnection(error)) throw error;
    const { message } = error as Error;
    if (had.length === 1)
      return had.map(({ awaited }) => ({ awaited, state: 'fault', source, message }));
  }
  const single: Asking[] = [];
  for (const asking of had) single.push(...(await landTogether(options, [asking])));
  return single;
}

/** Writes answers of a registry into the tables, by a night with a dump of these lines. */
export async function landAnswers(
  { db, logger, now, signal }: Omit<ImportOptions, 'sources'>,
  source: OnDemandSource,
  lines: readonly DumpLine[],
): Promise<void> {
  const { country_code } = await loadSource(source.source);
  const folder = await mkdtemp(join(tmpdir(), 'registry-import-'));
  try {
    for (const [file, ofFile] of Map.groupBy(lines, (line) => line.file)) {
      const texts = [...(source.header ? [source.header] : []), ...ofFile.map(({ line }) => line)];
      await writeFile(join(folder, file), `${texts.join('\n')}\n`);
    }
    const night = {
      source: source.source,
      path: folder,
      dump_date: dayIn(now(), country_code),
      isImport: true,
      now,
      reporter: Object.assign(new NightReporter(), {
        note: (sentence: string) => logger.info(`import: ${sentence}`),
      }),
    };
    // The signal ends the wait alone: what a night has published is settled.
    for (;;) {
      try {
        await runNightly(db, night);
        return;
      } catch (error) {
        if (!(error instanceof AlreadyRunning)) throw error;
      }
      await delay(imports.pause_ms, undefined, { signal });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes the watches of known numbers ready, also of those that a night brought while they were being
 * submitted; fails or postpones the numbers that are still awaited.
 */
async function settle(
  { db, logger, now }: ImportOptions,
  due: readonly Due[],
  askings: readonly Asking[],
): Promise<void> {
  const failed: (Awaited & { failure: ReturnType<typeof describeFailure> })[] = [];
  const postponed: object[] = [];
  for (const asking of askings) {
    const { awaited } = asking;
    const postpone = (wait_ms: number, attempt_count: number, last_error?: string) => {
      const next_attempt_at = new Date(now().getTime() + wait_ms);
      postponed.push({ ...awaited, attempt_count, last_error, next_attempt_at });
    };
    const attempts = awaited.attempt_count + 1;
    if (asking.state === 'unknown') {
      failed.push({ ...awaited, failure: describeFailure('unknown', asking.source, attempts) });
    } else if (asking.state !== 'fault') {
      postpone(imports.secondLook_ms, 0);
    } else if (attempts >= imports.attempts) {
      logger.error({ ...awaited, reason: asking.message }, 'import: given up');
      failed.push({ ...awaited, failure: describeFailure('unanswered', asking.source, attempts) });
    } else {
      logger.warn({ ...awaited, reason: asking.message }, 'import: asked again later');
      postpone(
        imports.firstWait_ms * imports.waitFactor ** (attempts - 1),
        attempts,
        asking.message,
      );
    }
  }
  const values = [JSON.stringify(due), now(), JSON.stringify(failed)];
  await db.pool.query('select customer.advance_watches(customer.awaiting($1), $2, $3)', values);
  if (postponed.length > 0) {
    await runFile(db.pool, 'import/postpone.sql', [JSON.stringify(postponed)]);
  }
}

/** Returns why a number was not imported, as a watch keeps it: for mails its parts, for the API a sentence. */
function describeFailure(
  code: 'unknown' | 'unanswered',
  { source }: OnDemandSource,
  attempts: number,
) {
  const registry = source.toUpperCase();
  const what =
    code === 'unknown' ? 'does not know this number' : `could not be asked in ${attempts} attempts`;
  return { code, registry, attempts, sentence: `${registry} ${what}` };
}

/** Fails the numbers that are awaited for too long, and queues the import where one is due. */
export async function sweepWatches(
  { pool }: Database,
  sources: readonly OnDemandSource[],
  now: Date,
): Promise<void> {
  await pool.query('select customer.advance_watches($1, only_overdue => true)', [now]);
  if (sources.length === 0) return;
  const due = await queryFile(pool, 'import/find_due.sql', [now, 1, 1, '0', '0']);
  if (due.length > 0) await pool.query('select customer.enqueue_import()');
}
