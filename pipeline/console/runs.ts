import type { Database } from '../../sql/connection/database.ts';
import { type GuardFinding, WrongUsage } from '../errors.ts';
import { shown } from '../figures/output-limits.ts';
import { type RunSummary, summarise } from '../night/summary.ts';
import { loadSource } from '../sources/source.ts';
import { answer, minute } from './print.ts';
import { describeRefusal, describeRun } from './sentences.ts';
import { withDatabase } from './session.ts';

type RunStatus = Pick<
  RunSummary,
  'run_id' | 'source' | 'dump_date' | 'state' | 'reason' | 'message'
> & { started_at: string; finished_at: string | null };

export async function listRuns(options: {
  json?: boolean;
  source?: string;
  limit: number;
}): Promise<void> {
  if (options.source !== undefined) await loadSource(options.source);
  await withDatabase(async (db) => {
    const runs = await readRuns(db, options);
    answer(options.json, { runs }, runs.length === 0 ? ['No run yet'] : describeRunRows(runs));
  });
}

/** Returns the newest `limit` runs, the newest first, without imports on demand, of which a day may have many. */
export async function readRuns(
  { pool }: Database,
  { source, limit }: { source?: string | undefined; limit: number },
): Promise<RunStatus[]> {
  const { rows } = await pool.query<RunStatus>(
    `select run_id::float8 as run_id, source, dump_date, registry.state_of(run) as state, reason, message,
       to_json(started_at)#>>'{}' as started_at, to_json(finished_at)#>>'{}' as finished_at
     from registry.run
     where state <> 'imported' and ($1::text is null or source = $1)
     order by run_id desc
     limit $2`,
    [source ?? null, limit],
  );
  return rows;
}

/** Returns a line of text for each run, with long messages shortened. */
export function describeRunRows(runs: readonly RunStatus[]): string[] {
  return runs.map(({ run_id, source, dump_date, state, reason, message }) => {
    const text = shorten(reason ? `accepted: ${reason}` : (message ?? ''));
    return `  ${String(run_id).padStart(5)}  ${source.padEnd(8)} ${dump_date}  ${state.padEnd(9)} ${text}`.trimEnd();
  });
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > shown.messageLength ? `${line.slice(0, shown.messageLength - 1)}…` : line;
}

export async function showRun(text: string, { json }: { json?: boolean }): Promise<void> {
  await withRun(text, async (db, run_id) => {
    const run = await readRun(db, run_id);
    answer(json, run, [describeRunDetail(run)]);
  });
}

/** Opens the database and calls `use` with the number of a run. Throws `WrongUsage` when no run has this number. */
async function withRun(
  text: string,
  use: (db: Database, run_id: number) => Promise<void>,
): Promise<void> {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new WrongUsage(`'${text}' is no number of a run`);
  await withDatabase(async (db) => {
    const run_id = Number(text);
    const found = await db.pool.query('select from registry.run where run_id = $1', [run_id]);
    if (found.rowCount === 0) throw new WrongUsage(`There is no run ${run_id}`);
    await use(db, run_id);
  });
}

/** Returns a run's summary, its start and end, the path of its dump, and the findings of guards that refused it. */
export async function readRun({ pool }: Database, run_id: number) {
  const { rows } = await pool.query<{
    started_at: string;
    finished_at: string | null;
    path: string | null;
    step_seconds: Record<string, number> | null;
    refusals: GuardFinding[];
    published_date: string | null;
  }>(
    `select
       to_json(started_at)#>>'{}' as started_at, to_json(finished_at)#>>'{}' as finished_at,
       path, step_seconds, coalesce(refusals, '[]') as refusals, newest.dump_date as published_date
     from registry.run
     left join registry.newest_snapshot as newest using (source)
     where run.run_id = $1`,
    [run_id],
  );
  return { ...(await summarise(pool, String(run_id))), ...rows[0]! };
}

export function describeRunDetail(run: Awaited<ReturnType<typeof readRun>>): string {
  const { path, reason, started_at, finished_at } = run;
  const steps = Object.entries(run.step_seconds ?? {});
  return [
    describeEnd(run),
    ...(reason === null ? [] : [`  accepted: ${reason}`]),
    `  from ${path ?? 'a folder that is not known'}`,
    `  started ${minute(started_at)}${finished_at ? `, ended ${minute(finished_at)}` : ''}`,
    ...steps.map(([step, seconds]) => `    ${step.padEnd(22)} ${seconds.toFixed(1)} s`),
  ].join('\n');
}

function describeEnd(run: Awaited<ReturnType<typeof readRun>>): string {
  const { state, message, path } = run;
  if (state === 'published' || state === 'imported') return describeRun(run);
  if (state === 'refused')
    return describeRefusal({ ...run, state, message: message ?? '', path: path ?? '<path>' });
  const reason = message ? `\n  ${message}` : '';
  return `${run.source} ${run.dump_date}: ${state}, run ${run.run_id}${reason}`;
}

export async function showRejects(text: string, { json }: { json?: boolean }): Promise<void> {
  type Reject = Record<'file' | 'code' | 'reason' | 'raw', string> & { line: number };
  await withRun(text, async ({ pool }, run_id) => {
    const { rows: rejects } = await pool.query<Reject>(
      `select file, line::float8 as line, reject_code as code, reason, raw
       from registry.reject
       where run_id = $1
       order by file, line`,
      [run_id],
    );
    const none = [`Run ${run_id} rejected no rows`];
    const lines = rejects.map((row) => `${row.file}:${row.line}: ${row.reason}: ${row.raw}`);
    answer(json, { run_id, rejects }, rejects.length === 0 ? none : lines.map(onOneLine));
  });
}

/** Escapes line breaks and other control characters of a text (a line feed → `\n`). */
function onOneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (letter) => JSON.stringify(letter).slice(1, -1));
}
