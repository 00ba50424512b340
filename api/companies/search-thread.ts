// The thread that searches the companies, so that no search delays other requests.
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { ClientConfig, Pool, PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openPool } from '../../sql/connection/pool.ts';
import { SearchCompanies, type SearchRow } from './search-companies.ts';
import type { Found, SearchQuestion } from './search-index.ts';

/** The writer is the last one. */
const pools = (workerData as ClientConfig[]).map((connection) =>
  openPool({ ...connection, max: 1, connectionTimeoutMillis: 2_500 }),
);

const rowsSql = await readFile(new URL('../../sql/api/search_rows.sql', import.meta.url), 'utf8');

const answers = new LRUCache<string, Found, () => Found>({
  max: 10_000,
  memoMethod: (_key, _stale, { context: find }) => find(),
});
let loaded: SearchCompanies | undefined;
let updating: Promise<void> | undefined;

// COPY writes null as \N, and doubles each backslash.
function readText(text: string): string | null {
  if (!text.includes('\\')) return text;
  return text === String.raw`\N` ? null : text.replaceAll('\\\\', '\\');
}

async function* readRows(client: PoolClient, known: number): AsyncIterable<SearchRow[]> {
  const copy = client.query(copyTo(rowsSql.replaceAll('$1', String(known))));
  let rest = '';
  for await (const chunk of copy.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield lines.map((line) => line.split('\t').map(readText) as SearchRow);
  }
}

/**
 * Loads the companies of the newest snapshot of a server, or those that changed since the loaded one.
 *
 * @returns false where the server has not seen the snapshot `least_no`
 */
async function updateFrom(pool: Pool, least_no: number): Promise<boolean> {
  const client = await pool.connect();
  const companies = loaded ?? new SearchCompanies();
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ last_id: string }>(
      `select last_id from registry.last_id where table_name = 'snapshot'`,
    );
    const snapshot_no = Number(rows[0]!.last_id);
    const isNewEnough = snapshot_no >= Math.max(least_no, companies.snapshot_no);
    if (isNewEnough) {
      // After a failed update nothing is loaded: the next one loads all companies.
      loaded = undefined;
      await companies.update(snapshot_no, readRows(client, companies.snapshot_no));
      loaded = companies;
    }
    await client.query('commit');
    client.release();
    return isNewEnough;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Loads from the first server that is there and new enough. */
async function update(least_no: number): Promise<void> {
  for (const [at, pool] of pools.entries()) {
    try {
      if (await updateFrom(pool, least_no)) return;
    } catch (error) {
      if (at === pools.length - 1) throw error;
    }
  }
  // The code of a server that is not ready: the request gets a 503, and nobody asks for ever.
  throw Object.assign(new Error('No server has the newest snapshot'), { code: '55000' });
}

/** Returns the companies of a snapshot that is not older than `least_no`. */
async function load(least_no: number): Promise<SearchCompanies> {
  for (let failed = 0; ;) {
    if (loaded && loaded.snapshot_no >= least_no) return loaded;
    updating ??= update(least_no).finally(() => (updating = undefined));
    try {
      await updating;
    } catch (error) {
      // A session may have ended long ago: another one is tried. What is loaded stays.
      failed += 1;
      if (failed > 1) throw error;
    }
  }
}

export type SearchAnswer = Awaited<ReturnType<typeof answer>>;

async function answer({ search, least_no }: SearchQuestion) {
  try {
    const companies = await load(least_no);
    const key = JSON.stringify([companies.snapshot_no, search]);
    return { found: answers.memo(key, { context: () => companies.search(search) }) };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}

parentPort!.on('message', (question: SearchQuestion) => {
  void answer(question).then((answered) => question.port.postMessage(answered, []));
});
