// Loads companies from the database in a thread, so that no search waits for the load. An error ends the thread.
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Client, type ClientConfig } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { socketOf } from '../../sql/connection/pool.ts';
import { eachRow, SegmentBuilder } from './builder.ts';
import type { SegmentData, SegmentHead } from './segment.ts';
import { otherDatabase } from './segments.ts';

/** The most companies in a segment, which keeps the memory of a load low. */
const mostCompanies = 2 ** 20;

/** The longest silence of a server before a load fails, in ms. A server sorts a whole country before the first row. */
const mostSilence_ms = { changes: 120_000, country: 600_000 };

/** The companies that a loader thread loads, and the servers that it may read. */
export interface Wanted extends Pick<SegmentHead, 'from' | 'to'> {
  /** The snapshot after which a company must have changed; -1: all companies are wanted. */
  since: number;
  /** The lowest number that a server's newest snapshot may have. */
  least_no: number;
  /** The publications of the loaded segments. A server that lacks one of them has another database. */
  publications: string[];
}

interface State extends Pick<SegmentHead, 'snapshot_no' | 'publication'> {
  is_other: boolean;
}

const stateSql = `
  with known as (
    select snapshot_no, snapshot_no || ' ' || extract(epoch from published_at) as publication
    from registry.publication
  )
  select
    snapshot_no::float8,
    publication,
    exists (select unnest($1::text[]) except select publication from known) as is_other
  from known
  order by known.snapshot_no desc
  limit 1`;

const rowsSql = await readFile(new URL('../../sql/api/search_rows.sql', import.meta.url), 'utf8');

let sentCount = 0;

function send(data: SegmentData): void {
  sentCount += 1;
  const arrays = [data, data.terms, data.words, data.pairs].flatMap((part) => Object.values(part));
  parentPort!.postMessage(
    data,
    arrays.filter((value) => ArrayBuffer.isView(value)).map(({ buffer }) => buffer as ArrayBuffer),
  );
}

/** Sends the wanted companies to the main thread as segments, at least one segment. */
async function sendSegments(client: Client, { since, from, to }: Wanted, state: State) {
  const values = [since, from, to ?? Number.MAX_SAFE_INTEGER];
  const text = rowsSql.replaceAll(/\$(\d)/g, (_, place: string) => String(values[+place - 1]));
  const { snapshot_no, publication } = state;
  const head = { from, to, snapshot_no, publication, loaded_at: new Date().toISOString() };
  let builder = new SegmentBuilder();
  const chunks = client.query(copyTo(text)).setEncoding('utf8') as AsyncIterable<string>;
  await eachRow(chunks, (row) => {
    // A full segment is sent when the next company begins, since its last company may have further rows.
    if (builder.count === mostCompanies && Number(row[0]) !== builder.last_id) {
      send(builder.build({ ...head, to: Number(row[0]) }));
      head.from = Number(row[0]);
      builder = new SegmentBuilder();
    }
    builder.add(row);
  });
  send(builder.build(head));
}

async function loadFrom(connection: ClientConfig, wanted: Wanted): Promise<void> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 2_500 });
  // The event is ignored, since the query that waits throws the same error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const socket = socketOf(client);
    const silence_ms = mostSilence_ms[wanted.since === -1 ? 'country' : 'changes'];
    socket.setTimeout(silence_ms, () => void socket.destroy());
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<State>(stateSql, [wanted.publications]);
    const state = rows[0]!;
    if (state.is_other) throw Object.assign(new Error('Another database'), { code: otherDatabase });
    // The code 55000 makes the request a 503. The load is not retried: the server may stay behind for ever.
    if (state.snapshot_no < wanted.least_no)
      throw Object.assign(new Error('No server has the newest snapshot'), { code: '55000' });
    await sendSegments(client, wanted, state);
  } finally {
    await client.end();
  }
}

const { servers, ...wanted } = workerData as Wanted & { servers: ClientConfig[] };
// The companies come from the first server that answers and has a new enough snapshot.
for (const server of servers) {
  try {
    await loadFrom(server, wanted);
    break;
  } catch (error) {
    // Once a segment is sent no other server is tried: its companies may differ.
    if (server === servers.at(-1) || sentCount > 0) throw error;
  }
}
