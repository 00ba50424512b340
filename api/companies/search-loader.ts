// The thread that loads companies from the database, so that no search waits for it.
import { readFile } from 'node:fs/promises';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { Client, type ClientConfig } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { eachRow, SegmentBuilder } from './search-builder.ts';
import { otherDatabase, type SegmentData, type SegmentHead } from './search-layout.ts';

/** The companies of a segment at most: so many keep the memory of a load low. */
const mostCompanies = 2 ** 20;

/** Where the companies may be read, the writer last. */
const connections = workerData as ClientConfig[];

const rowsSql = await readFile(new URL('../../sql/api/search_rows.sql', import.meta.url), 'utf8');

/** What is to be loaded, of a server that has the snapshot `least_no` or a newer one, and the run `run`. */
export type Wanted = Pick<SegmentHead, 'since' | 'from' | 'to' | 'run'> & { least_no: number };

type State = { snapshot_no: string; run: string; has_run: boolean };

const stateSql = `
  with known as (
    select run_id || ' ' || extract(epoch from started_at) as run, run_id
    from registry.run
    where state in ('published', 'imported')
  )
  select
    last_id as snapshot_no,
    coalesce((select run from known order by run_id desc limit 1), '') as run,
    $1 = '' or exists (select from known where run = $1) as has_run
  from registry.last_id
  where table_name = 'snapshot'`;

/** A segment, the snapshot that all of them were read in, or why there are none. */
export type Loaded =
  | { data: SegmentData }
  | { snapshot_no: number }
  | { error: { message: string; code: string | undefined } };

async function readSegments(
  client: Client,
  { since, from, to }: Wanted,
  state: Pick<SegmentHead, 'snapshot_no' | 'run'>,
  use: (data: SegmentData) => void,
): Promise<void> {
  const values = [since, from, to ?? Number.MAX_SAFE_INTEGER];
  const text = rowsSql.replaceAll(/\$(\d)/g, (_, place: string) => String(values[+place - 1]));
  const head = { ...state, since, from, to, loaded_at: new Date().toISOString() };
  let builder = new SegmentBuilder();
  const chunks = client.query(copyTo(text)).setEncoding('utf8') as AsyncIterable<string>;
  await eachRow(chunks, (row) => {
    // The last company may have had further rows.
    if (builder.count === mostCompanies && Number(row[0]) !== builder.last_id) {
      use(builder.build({ ...head, to: Number(row[0]) }));
      head.from = Number(row[0]);
      builder = new SegmentBuilder();
    }
    builder.add(row);
  });
  use(builder.build(head));
}

/** @returns the snapshot; undefined where the server has not seen `least_no` */
async function loadFrom(
  connection: ClientConfig,
  wanted: Wanted,
  use: (data: SegmentData) => void,
): Promise<number | undefined> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 2_500 });
  // The query that waits throws it too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<State>(stateSql, [wanted.run]);
    const { run, has_run } = rows[0]!;
    const snapshot_no = Number(rows[0]!.snapshot_no);
    if (snapshot_no < wanted.least_no) return undefined;
    if (!has_run) throw Object.assign(new Error('Another database'), { code: otherDatabase });
    await readSegments(client, wanted, { snapshot_no, run }, use);
    return snapshot_no;
  } finally {
    await client.end();
  }
}

/** Loads from the first server that is there and new enough. */
async function load(wanted: Wanted, port: MessagePort): Promise<Loaded> {
  let count = 0;
  const use = (data: SegmentData) => {
    count += 1;
    const { ids, starts, names, nameStarts, terms, words, pairs } = data;
    const arrays = [
      ids,
      starts,
      names,
      nameStarts,
      ...[terms, words, pairs].flatMap(Object.values),
    ];
    const moved = (arrays as Uint8Array<ArrayBuffer>[]).map(({ buffer }) => buffer);
    port.postMessage({ data } satisfies Loaded, moved);
  };
  for (const [at, connection] of connections.entries()) {
    try {
      const snapshot_no = await loadFrom(connection, wanted, use);
      if (snapshot_no !== undefined) return { snapshot_no };
    } catch (error) {
      const { message, code } = error as Error & { code?: string };
      // Another server may have other companies than those that were sent.
      if (at === connections.length - 1 || count > 0) return { error: { message, code } };
    }
  }
  // The code of a server that is not ready: the request gets a 503, and nobody asks for ever.
  return { error: { message: 'No server has the newest snapshot', code: '55000' } };
}

parentPort!.on('message', ({ port, ...wanted }: Wanted & { port: MessagePort }) => {
  void load(wanted, port).then((loaded) => port.postMessage(loaded, []));
});
