// The thread that loads companies from the database, so that no search waits for it. An error ends it.
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Client, type ClientConfig } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { socketOf } from '../../sql/connection/pool.ts';
import { eachRow, SegmentBuilder } from './search-builder.ts';
import { otherDatabase, type SegmentData, type SegmentHead } from './search-segment.ts';

/** The companies of a segment at most: so many keep the memory of a load low. */
const mostCompanies = 2 ** 20;

const rowsSql = await readFile(new URL('../../sql/api/search_rows.sql', import.meta.url), 'utf8');

/** What is to be loaded, of a server that has the snapshot `least_no` or a newer one, and `publication`. */
export type Wanted = Pick<SegmentHead, 'since' | 'from' | 'to' | 'publication'> & {
  least_no: number;
};

/** A segment; after the last one the snapshot that they were read in. */
export type Loaded = SegmentData | number;

type State = Pick<SegmentHead, 'snapshot_no' | 'publication'> & { has_publication: boolean };

const stateSql = `
  with known as (
    select snapshot_no, snapshot_no || ' ' || extract(epoch from published_at) as publication
    from registry.publication
  )
  select
    snapshot_no::float8,
    publication,
    $1 = '' or exists (select from known where publication = $1) as has_publication
  from known
  order by known.snapshot_no desc
  limit 1`;

/**
 * The longest silence of a server before the load is given up, since a frozen server never answers. A server sorts
 * a whole country before it sends the first row.
 */
const mostSilence_ms = { changes: 120_000, country: 600_000 };

let sentCount = 0;

function send(data: SegmentData): void {
  sentCount += 1;
  const arrays = [data, data.terms, data.words, data.pairs].flatMap((part) => Object.values(part));
  parentPort!.postMessage(
    data,
    arrays.filter((value) => ArrayBuffer.isView(value)).map(({ buffer }) => buffer as ArrayBuffer),
  );
}

async function sendSegments(
  client: Client,
  { since, from, to }: Wanted,
  state: Omit<State, 'has_publication'>,
) {
  const values = [since, from, to ?? Number.MAX_SAFE_INTEGER];
  const text = rowsSql.replaceAll(/\$(\d)/g, (_, place: string) => String(values[+place - 1]));
  const head = { ...state, since, from, to, loaded_at: new Date().toISOString() };
  let builder = new SegmentBuilder();
  const chunks = client.query(copyTo(text)).setEncoding('utf8') as AsyncIterable<string>;
  await eachRow(chunks, (row) => {
    // The last company may have had further rows.
    if (builder.count === mostCompanies && Number(row[0]) !== builder.last_id) {
      send(builder.build({ ...head, to: Number(row[0]) }));
      head.from = Number(row[0]);
      builder = new SegmentBuilder();
    }
    builder.add(row);
  });
  send(builder.build(head));
}

/** Loads from a server. Throws where it has not seen `least_no`, or has another database. */
async function loadFrom(connection: ClientConfig, wanted: Wanted): Promise<number> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 2_500 });
  // The query that waits throws it too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const socket = socketOf(client);
    const silence_ms = mostSilence_ms[wanted.since === -1 ? 'country' : 'changes'];
    socket.setTimeout(silence_ms, () => void socket.destroy());
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<State>(stateSql, [wanted.publication]);
    const { has_publication, ...state } = rows[0]!;
    // Or a reader that is behind: the writer comes after it.
    if (!has_publication)
      throw Object.assign(new Error('Another database'), { code: otherDatabase });
    // With the code 55000 the request gets a 503. To ask again could last for ever: the server may stay behind.
    if (state.snapshot_no < wanted.least_no)
      throw Object.assign(new Error('No server has the newest snapshot'), { code: '55000' });
    await sendSegments(client, wanted, state);
    return state.snapshot_no;
  } finally {
    await client.end();
  }
}

/** Loads from the first server that is there and new enough; the writer is the last. */
async function load(wanted: Wanted): Promise<number> {
  const [servers, before] = [[...(workerData as ClientConfig[])], sentCount];
  for (;;) {
    try {
      return await loadFrom(servers.shift()!, wanted);
    } catch (error) {
      // Another server may have other companies than those that were sent.
      if (servers.length === 0 || sentCount > before) throw error;
    }
  }
}

parentPort!.on('message', (wanted: Wanted) => {
  void load(wanted).then((snapshot_no) => parentPort!.postMessage(snapshot_no, []));
});
