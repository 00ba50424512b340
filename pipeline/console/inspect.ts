import type { Database } from '../../sql/connection/database.ts';
import { dayIn } from '../../sql/country.ts';
import { NothingToDo, WrongUsage } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { figure } from '../written-figure.ts';
import { verify } from '../night/verify.ts';
import { loadSource } from '../sources/source.ts';
import { findTrouble } from './check.ts';
import { answer, print } from './print.ts';
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

const withReaders = { reads: true };

export async function showStatus({ json }: Options): Promise<void> {
  await withDatabase(async (db) => {
    const status = await readStatus(db, dayIn(new Date()));
    answer(json, status, [describeStatus(status)]);
  }, withReaders);
}

export async function checkHealth({ json, maxAge, maxWait }: Options): Promise<void> {
  const limits = {
    max_age_days: readCount(maxAge, '--max-age'),
    max_wait_minutes: readCount(maxWait, '--max-wait'),
  };
  await withDatabase(async (db) => {
    const findings = await findTrouble(db, dayIn(new Date()), limits);
    const is_well = findings.length === 0;
    const lines = is_well ? ['All is well'] : findings.map(({ sentence }) => sentence);
    answer(json, { is_well, findings }, lines);
    if (!is_well) process.exitCode = exitCodes.failed;
  }, withReaders);
}

export async function listRuns({ json, source, limit }: Options): Promise<void> {
  if (source !== undefined) await loadSource(source);
  const count = readCount(limit, '--limit');
  await withDatabase(async (db) => {
    const runs = await readRuns(db, { source, limit: count });
    answer(json, { runs }, runs.length === 0 ? ['No run yet'] : describeRunRows(runs));
  });
}

export async function showRun(text: string, { json }: Options): Promise<void> {
  await withRun(text, async (db, run_id) => {
    const run = await readRun(db, run_id);
    answer(json, run.run, [describeRunDetail(run)]);
  });
}

export async function showRejects(text: string, { json }: Options): Promise<void> {
  await withRun(text, async (db, run_id) => {
    const rejects = await readRejects(db, run_id);
    const none = [`Run ${run_id} rejected no rows`];
    const lines = rejects.map((row) => `${row.file}:${row.line}: ${row.reason}: ${row.raw}`);
    answer(json, { run_id, rejects }, rejects.length === 0 ? none : lines.map(onOneLine));
  });
}

/** Opens the database to look at a run. Throws `WrongUsage` when the text is not the number of a run. */
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

function readCount(text: string, option: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw new WrongUsage(`${option} must be a whole number, not '${text}'`);
  return Number(text);
}
