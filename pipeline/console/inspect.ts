import { dayIn } from '../../sql/country.ts';
import { NothingToDo, WrongUsage } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { figure } from '../written-figure.ts';
import { verify } from '../night/verify.ts';
import { loadSource } from '../sources/source.ts';
import { findTrouble } from './check.ts';
import { print } from './print.ts';
import { describeRunDetail, describeRunRows, readRejects, readRun, readRuns } from './runs.ts';
import { withDatabase } from './session.ts';
import { describeReader, describeStatus, readSnapshots, readStatus } from './status.ts';

/** The options of the commands that inspect the database; each command has some of them. */
interface Options {
  json?: boolean;
  source?: string;
  limit: string;
  maxAge: string;
  maxWait: string;
  on: string;
}

export async function showStatus({ json }: Options): Promise<void> {
  await withDatabase(
    async (db) => {
      const status = await readStatus(db, dayIn(new Date()));
      print([json ? JSON.stringify(status) : describeStatus(status)]);
    },
    { reads: true },
  );
}

export async function checkHealth({ json, maxAge, maxWait }: Options): Promise<void> {
  const limits = {
    max_age_days: readCount(maxAge, '--max-age'),
    max_wait_minutes: readCount(maxWait, '--max-wait'),
  };
  await withDatabase(
    async (db) => {
      const findings = await findTrouble(db, dayIn(new Date()), limits);
      const is_well = findings.length === 0;
      if (json) print([JSON.stringify({ is_well, findings })]);
      else print(is_well ? ['All is well'] : findings.map(({ sentence }) => sentence));
      if (!is_well) process.exitCode = exitCodes.failed;
    },
    { reads: true },
  );
}

export async function listRuns({ json, source, limit }: Options): Promise<void> {
  if (source !== undefined) await loadSource(source);
  const count = readCount(limit, '--limit');
  await withDatabase(async (db) => {
    const runs = await readRuns(db, { source, limit: count });
    if (json) print([JSON.stringify({ runs })]);
    else if (runs.length === 0) print(['No run yet']);
    else print(describeRunRows(runs));
  });
}

export async function showRun(text: string, { json }: Options): Promise<void> {
  const run_id = readRunId(text);
  await withDatabase(async (db) => {
    const run = await readRun(db, run_id);
    if (!run) throw new WrongUsage(`There is no run ${run_id}`);
    print([json ? JSON.stringify(run.run) : describeRunDetail(run)]);
  });
}

export async function showRejects(text: string, { json }: Options): Promise<void> {
  const run_id = readRunId(text);
  await withDatabase(async (db) => {
    const rejects = await readRejects(db, run_id);
    if (!rejects) throw new WrongUsage(`There is no run ${run_id}`);
    if (json) print([JSON.stringify({ run_id, rejects })]);
    else if (rejects.length === 0) print([`Run ${run_id} rejected no rows`]);
    else
      print(rejects.map((row) => onOneLine(`${row.file}:${row.line}: ${row.reason}: ${row.raw}`)));
  });
}

/** Escapes line breaks and other control characters of a text. */
function onOneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (letter) => JSON.stringify(letter).slice(1, -1));
}

export async function verifySnapshots(
  source: string | undefined,
  { json, on }: Options,
): Promise<void> {
  if (source !== undefined) await loadSource(source);
  if (!['write', 'read'].includes(on)) throw new WrongUsage('--on is write or read');
  await withDatabase(
    async (db) => {
      const pool = on === 'read' ? db.readers?.chooseReader() : db.pool;
      if (!pool)
        throw new Error(
          `No reader is there: ${db.readers?.states().map(describeReader).join('; ') ?? 'DATABASE_READ_URL is not set'}`,
        );
      const snapshots = (await readSnapshots({ pool }, dayIn(new Date()))).filter(
        (snapshot) => source === undefined || snapshot.source === source,
      );
      const nothing = source ? `Nothing of ${source}` : 'Nothing';
      if (snapshots.length === 0) throw new NothingToDo(`${nothing} is published yet`);
      const verified = [];
      for (const { source: name, dump_date, entries } of snapshots) {
        const findings = await verify({ pool }, name);
        const is_whole = findings.length === 0;
        verified.push({ source: name, dump_date, is_whole, findings });
        if (!is_whole) process.exitCode = exitCodes.failed;
        if (!json)
          print(is_whole ? [`${name} ${dump_date}: whole, ${figure(entries)} entries`] : findings);
      }
      if (json) print([JSON.stringify(source ? verified[0] : { snapshots: verified })]);
    },
    { reads: on === 'read' },
  );
}

function readRunId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new WrongUsage(`'${text}' is no number of a run`);
  return Number(text);
}

function readCount(text: string, option: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw new WrongUsage(`${option} must be a whole number, not '${text}'`);
  return Number(text);
}
