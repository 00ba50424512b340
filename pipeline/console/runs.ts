import type { Database } from '../../sql/connection/database.ts';
import type { GuardFinding } from '../errors.ts';
import { shown } from '../figures/output-limits.ts';
import { minute } from './print.ts';
import { describeRefusal, describeRun, listRefusals } from './report.ts';
import { findNewestPublished } from '../night/run.ts';
import { type RunSummary, summarise } from '../night/summary.ts';

type RunStatus = Pick<
  RunSummary,
  'run_id' | 'source' | 'dump_date' | 'state' | 'reason' | 'message'
> & { started_at: string; finished_at: string | null };

/** Returns the newest runs, the newest first. Leaves out imports on demand, which may be many a day. */
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

/** Returns a line for each run; long messages are shortened. */
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

export async function readRun({ pool }: Database, run_id: number) {
  const { rows } = await pool.query<{
    started_at: string;
    finished_at: string | null;
    path: string | null;
    step_seconds: Record<string, number> | null;
    refusals: GuardFinding[] | null;
  }>(
    `select
       to_json(started_at)#>>'{}' as started_at, to_json(finished_at)#>>'{}' as finished_at,
       path, step_seconds, refusals
     from registry.run
     where run_id = $1`,
    [run_id],
  );
  const { refusals, ...times } = rows[0]!;
  const findings = refusals ?? [];
  const summary = await summarise(pool, String(run_id));
  const newest = await findNewestPublished(pool, summary.source);
  const run = { ...summary, ...times, refusals: listRefusals(findings) };
  return { run, findings, published_date: newest?.dump_date ?? null };
}

export function describeRunDetail({
  run,
  findings,
  published_date,
}: Awaited<ReturnType<typeof readRun>>): string {
  const { source, dump_date, run_id, path, reason } = run;
  const message = run.message ?? '';
  const heading = () => {
    if (run.state === 'published' || run.state === 'imported') return describeRun(run);
    if (run.state !== 'refused') {
      return `${source} ${dump_date}: ${run.state}, run ${run_id}${message && `\n  ${message}`}`;
    }
    const refused = { source, dump_date, run_id, message, findings, published_date };
    return describeRefusal({ ...refused, state: 'refused', path: path ?? '<path>' });
  };
  const steps = Object.entries(run.step_seconds ?? {});
  return [
    heading(),
    ...(reason === null ? [] : [`  accepted: ${reason}`]),
    `  from ${path ?? 'a folder that is not known'}`,
    `  started ${minute(run.started_at)}${run.finished_at ? `, ended ${minute(run.finished_at)}` : ''}`,
    ...steps.map(([step, seconds]) => `    ${step.padEnd(22)} ${seconds.toFixed(1)} s`),
  ].join('\n');
}

export async function readRejects({ pool }: Database, run_id: number) {
  type Reject = Record<'file' | 'code' | 'reason' | 'raw', string> & { line: number };
  const { rows } = await pool.query<Reject>(
    `select file, line::float8 as line, reject_code as code, reason, raw
     from registry.reject
     where run_id = $1
     order by file, line`,
    [run_id],
  );
  return rows;
}
