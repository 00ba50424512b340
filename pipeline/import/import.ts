import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { type Database, runFile } from '../../sql/database.ts';
import { isLostConnection } from '../fault.ts';
import { landAnswers } from './land.ts';
import type { DumpLine, IdentifierType, OnDemandSource } from './on-demand.ts';

/** Numbers that are asked for before their answers are written. */
const BATCH = 20;
/** Numbers that are asked for side by side; the services have rates of their own. */
const WIDTH = 4;
/** After so many attempts without an answer a number is given up. */
const ATTEMPTS = 5;
/** From the first attempt to the second; it is five times as long from one to the next. */
const first_wait_ms = 60_000;
const longer = 5;
/** Until a number is asked for again that no registry that was asked has to know. */
const second_look_ms = 24 * 60 * 60_000;

export interface ImportOptions {
  db: Database;
  logger: Logger;
  /** The registries that are set up, in the order in which they are asked. */
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

/** What came of asking for a number. */
type Asking = { awaited: Awaited } & (
  | { state: 'had'; source: OnDemandSource; lines: DumpLine[] }
  /** A registry that would know it does not. */
  | { state: 'unknown'; source: OnDemandSource }
  /** No registry that was asked has to know it: the next dumps may bring it. */
  | { state: 'nothing' }
  | { state: 'fault'; source: OnDemandSource; message: string }
);
type Had = Extract<Asking, { state: 'had' }>;

/**
 * Asks the registries for every number that is waited for and due, and writes what they answer: who
 * waits for it has it ready. What no registry knows fails, and so does what cannot be had in five
 * attempts; the others are asked for again later.
 */
export async function importAwaited(options: ImportOptions): Promise<void> {
  const { db, sources, now, signal } = options;
  // Whatever a night has brought while it was being submitted.
  await db.pool.query('select customer.advance_watches($1)', [now()]);
  const ready = { ...options, sources: await listReady(db, sources) };
  if (ready.sources.length === 0) return;
  while (!signal.aborted) {
    const due = await query<Awaited>(db, 'find_due', [now(), BATCH]);
    if (due.length === 0) break;
    const limit = pLimit(WIDTH);
    const asked = await Promise.all(due.map((awaited) => limit(askFor, ready, awaited)));
    await settle(options, await land(options, asked));
  }
  await query(db, 'forget', undefined);
}

async function askFor({ sources, signal }: ImportOptions, awaited: Awaited): Promise<Asking> {
  const { identifier_type, identifier_value } = awaited;
  for (const source of sources) {
    if (!source.answers.includes(identifier_type)) continue;
    try {
      const lines = await source.ask(identifier_type, identifier_value, signal);
      if (lines.length > 0) return { awaited, state: 'had', source, lines };
      if (source.isComplete) return { awaited, state: 'unknown', source };
    } catch (error) {
      signal.throwIfAborted();
      return { awaited, state: 'fault', source, message: (error as Error).message };
    }
  }
  return { awaited, state: 'nothing' };
}

/** What is no delta has to have had its first dump. */
async function listReady({ pool }: Database, sources: readonly OnDemandSource[]) {
  const { rows } = await pool.query<{ source: string }>(
    `select distinct source from registry.run where state = 'published'`,
  );
  const published = new Set(rows.map(({ source }) => source));
  return sources.filter(({ isDelta, source }) => isDelta || published.has(source));
}

async function land(options: ImportOptions, askings: readonly Asking[]): Promise<Asking[]> {
  const had = askings.filter((asking) => asking.state === 'had');
  const landed: Asking[] = askings.filter((asking) => asking.state !== 'had');
  for (const ofSource of Map.groupBy(had, (asking) => asking.source).values()) {
    landed.push(...(await landTogether(options, ofSource)));
  }
  return landed;
}

/** What cannot be written is found by writing one after another: it must not hold up the others. */
async function landTogether(options: ImportOptions, had: readonly Had[]): Promise<Asking[]> {
  const [{ source }] = had as [Had];
  // Two numbers may be of one company.
  const lines = new Map(
    had.flatMap((asking) => asking.lines).map((line) => [line.file + line.line, line]),
  );
  try {
    await landAnswers(options, source, [...lines.values()]);
    options.logger.info({ source: source.source, numbers: had.length }, 'import: answers');
    return [...had];
  } catch (error) {
    options.signal.throwIfAborted();
    if (isLostConnection(error)) throw error;
    const { message } = error as Error;
    if (had.length === 1)
      return had.map(({ awaited }) => ({ awaited, state: 'fault', source, message }));
  }
  const apart: Asking[] = [];
  for (const asking of had) apart.push(...(await landTogether(options, [asking])));
  return apart;
}

/** Numbers that nobody could tell of are given up, or asked for again. */
async function settle(options: ImportOptions, askings: readonly Asking[]): Promise<void> {
  const { db, logger, now } = options;
  const queued = await query<Awaited>(db, 'still_queued', listNumbers(askings));
  const isQueued = new Set(queued.map(nameOf));
  const left = askings.filter(({ awaited }) => isQueued.has(nameOf(awaited)));
  const given: { asking: Asking; failure: string }[] = [];
  const postponed: { asking: Asking; attempts: number; wait_ms: number }[] = [];
  for (const asking of left) {
    const attempts = asking.awaited.attempt_count + 1;
    if (asking.state === 'unknown') {
      given.push({ asking, failure: `${asking.source.name} does not know this number` });
    } else if (asking.state !== 'fault') {
      postponed.push({ asking, attempts: 0, wait_ms: second_look_ms });
    } else if (attempts >= ATTEMPTS) {
      logger.error({ ...asking.awaited, reason: asking.message }, 'import: given up');
      const failure = `${asking.source.name} could not be asked in ${attempts} attempts`;
      given.push({ asking, failure });
    } else {
      logger.warn({ ...asking.awaited, reason: asking.message }, 'import: asked again later');
      const wait_ms = first_wait_ms * longer ** (attempts - 1);
      postponed.push({ asking, attempts, wait_ms });
    }
  }
  await query(db, 'postpone', [
    ...listNumbers(postponed.map(({ asking }) => asking)),
    postponed.map(({ attempts }) => attempts),
    postponed.map(({ asking }) => (asking.state === 'fault' ? asking.message : null)),
    postponed.map(({ wait_ms }) => new Date(now().getTime() + wait_ms)),
  ]);
  await db.pool.query('select customer.fail_awaited($1, $2, $3, $4)', [
    ...listNumbers(given.map(({ asking }) => asking)),
    given.map(({ failure }) => failure),
    now(),
  ]);
}

function nameOf({ identifier_type, identifier_value }: Omit<Awaited, 'attempt_count'>): string {
  return `${identifier_type} ${identifier_value}`;
}

/** Types and values, in two lists. */
function listNumbers(askings: readonly Asking[]): [string[], string[]] {
  return [
    askings.map(({ awaited }) => awaited.identifier_type),
    askings.map(({ awaited }) => awaited.identifier_value),
  ];
}

async function query<Row>(
  { pool }: Database,
  file: string,
  values: unknown[] | undefined,
): Promise<Row[]> {
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    const [result] = await runFile(client, `import/${file}.sql`, values);
    return result!.rows as Row[];
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    client.release(fault);
  }
}
