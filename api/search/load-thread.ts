// Loads companies from the database in a separate thread, so that searches continue. An error ends the thread.
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Client, type ClientConfig } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { socketOf } from '../../sql/connection/pool.ts';
import { eachRow, SegmentBuilder } from './segment-builder.ts';
import type { SegmentData, SegmentHead } from './segment.ts';
import { otherDatabase } from './segments.ts';

/** The maximum number of companies in one segment of the index, which limits the memory for loading. */
const mostCompanies = 2 ** 20;

/** The timeouts in ms of loading without data. A country has a longer timeout, because its rows are sorted first. */
const mostSilence_ms = { changes: 120_000, country: 600_000 };

/** The message to the loader thread: the companies to load, and the database servers to read. */
export interface Wanted extends Pick<SegmentHead, 'from' | 'to'> {
  /** Only companies that changed after the snapshot with this number are loaded; -1: all companies are loaded. */
  since: number;
  /** A server may be read only if its newest snapshot has this number or a higher number. */
  least_no: number;
  /** The publications of the segments in memory; a server without one of these has another database. */
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

/** Loads the companies, and sends them to the main thread in one or more segments. */
async function sendSegments(client: Client, { since, from, to }: Wanted, state: State) {
  const values = [since, from, to ?? Number.MAX_SAFE_INTEGER];
  const text = rowsSql.replaceAll(/\$(\d)/g, (_, place: string) => String(values[+place - 1]));
  const { snapshot_no, publication } = state;
  const head = { from, to, snapshot_no, publication, loaded_at: new Date().toISOString() };
  let builder = new SegmentBuilder();
  const chunks = client.query(copyTo(text)).setEncoding('utf8') as AsyncIterable<string>;
  await eachRow(chunks, (row) => {
    // A full segment is sent when the next company's first row arrives, since its last company can have several rows.
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
  // The `error` event of the client is ignored, since the running query throws the same error.
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
    // An error with the code 55000 gets a 503. Loading does not wait for the server, which may stay outdated forever.
    if (state.snapshot_no < wanted.least_no)
      throw Object.assign(new Error('No server has the newest snapshot'), { code: '55000' });
    await sendSegments(client, wanted, state);
  } finally {
    await client.end();
  }
}

const { servers, ...wanted } = workerData as Wanted & { servers: ClientConfig[] };
// The companies are loaded from the first server that answers and has a snapshot that is new enough.
for (const server of servers) {
  try {
    await loadFrom(server, wanted);
    break;
  } catch (error) {
    // After a segment is sent no other server is tried, since another server may have other data.
    if (server === servers.at(-1) || sentCount > 0) throw error;
  }
}
