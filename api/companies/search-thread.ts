// The thread that searches the companies, so that no search delays other requests.
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { ClientConfig, PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openPool } from '../../sql/connection/pool.ts';
import { SearchCompanies, type SearchRow } from './search-companies.ts';
import type { Found, SearchQuestion } from './search-index.ts';

const pool = openPool({ ...(workerData as ClientConfig), max: 1 });

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

/** Loads the companies of the newest snapshot, or those that changed since the loaded one. */
async function update(): Promise<void> {
  const companies = loaded ?? new SearchCompanies();
  const known = companies.snapshot_no;
  // A failed update leaves nothing loaded: `load` then calls `update` again, which loads all companies.
  loaded = undefined;
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ last_id: string }>(
      `select last_id from registry.last_id where table_name = 'snapshot'`,
    );
    await companies.update(Number(rows[0]!.last_id), readRows(client, known));
    await client.query('commit');
    loaded = companies;
    client.release();
  } catch (error) {
    client.release(true);
    if (known === -1) throw error;
  }
}

/** Returns the companies of a snapshot that is not older than `least_no`. */
async function load(least_no: number): Promise<SearchCompanies> {
  while (!loaded || loaded.snapshot_no < least_no) {
    updating ??= update().finally(() => (updating = undefined));
    await updating;
  }
  return loaded;
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
