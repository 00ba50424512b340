// The thread that holds the companies and searches them, so that no search delays other requests.
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { ClientConfig, PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openPool } from '../../sql/pool.ts';
import { countBits, intersect, listBits, type Bits } from './search-bits.ts';
import { SearchCompanies, type SearchRow } from './search-companies.ts';
import type { SearchFilter } from './search-filter.ts';
import type { Found, SearchAnswer, SearchQuestion, Window } from './search-index.ts';

/** Among at most so many companies a name is looked for in each, without the index of names. */
const mostLookedAt = 4_000;

/** Answers that are kept. */
const mostAnswers = 10_000;

const pool = openPool({ ...(workerData as ClientConfig), max: 4 });

function readSql(file: string): Promise<string> {
  return readFile(new URL(`../../sql/api/${file}`, import.meta.url), 'utf8');
}

const [rowsSql, namesSql, namesAmongSql] = await Promise.all(
  ['search_rows.sql', 'search_names.sql', 'search_names_among.sql'].map(readSql),
);

interface Loaded {
  companies: SearchCompanies;
  snapshot_no: number;
}

const answers = new LRUCache<string, Found>({ max: mostAnswers });
let loaded: Loaded | undefined;
let updating: Promise<void> | undefined;

// COPY writes \N for null, and a backslash twice.
function readText(text: string): string | null {
  if (!text.includes('\\')) return text;
  return text === String.raw`\N` ? null : text.replaceAll('\\\\', '\\');
}

async function* readRows(client: PoolClient, known: number): AsyncIterable<SearchRow[]> {
  const copy = client.query(copyTo(rowsSql!.replaceAll('$1', String(known))));
  let rest = '';
  for await (const chunk of copy.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield lines.map((line) => line.split('\t').map(readText) as SearchRow);
  }
}

/** Loads the companies of the newest snapshot, or those that changed since the loaded one. */
async function update(): Promise<void> {
  const { companies, snapshot_no: known } = loaded ?? {
    companies: new SearchCompanies(),
    snapshot_no: -1,
  };
  // Companies that are half updated when something fails are loaded anew.
  loaded = undefined;
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const snapshot_no = await readSnapshotNo(client);
    await companies.update(readRows(client, known));
    await client.query('commit');
    loaded = { companies, snapshot_no };
    client.release();
  } catch (error) {
    client.release(true);
    if (known === -1) throw error;
  }
}

async function readSnapshotNo(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ last_id: string }>(
    `select last_id from registry.last_id where table_name = 'snapshot'`,
  );
  return Number(rows[0]!.last_id);
}

/** The companies of a snapshot that is not older than `least_no`. */
async function load(least_no: number): Promise<Loaded> {
  while (!loaded || loaded.snapshot_no < least_no) {
    updating ??= update().finally(() => (updating = undefined));
    await updating;
  }
  return loaded;
}

interface NamesRow {
  snapshot_no: string;
  is_indexed: boolean;
  company_ids: Buffer | null;
}

function* readIds(bytes: Buffer | null): Iterable<number> {
  for (let at = 0; at < (bytes?.length ?? 0); at += 8) yield Number(bytes!.readBigInt64BE(at));
}

/** What is like a name, or a part of it. */
function patternOf(name: string): string {
  return `%${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** @returns the companies that match; a number when a later snapshot has to be loaded before */
async function match(
  { companies, snapshot_no }: Loaded,
  filter: SearchFilter,
): Promise<Bits | number> {
  const { name } = filter;
  const others = companies.find(filter);
  if (name === undefined) return others;
  const named = companies.kept(`name ${name}`);
  if (named) return intersect([others, named]);
  const isFew = countBits(others) <= mostLookedAt;
  const pattern = patternOf(name);
  const { rows } = isFew
    ? await pool.query<NamesRow>(namesAmongSql!, [pattern, companies.idsOf(listBits(others))])
    : await pool.query<NamesRow>(namesSql!, [pattern]);
  const row = rows[0]!;
  // The companies themselves may have changed meanwhile.
  if (Number(row.snapshot_no) !== snapshot_no) return Number(row.snapshot_no);
  if (loaded?.companies !== companies || loaded.snapshot_no !== snapshot_no) return snapshot_no;
  if (!row.is_indexed) throw Object.assign(new Error('No index of names'), { isPassing: true });
  const found = companies.bitsOf(readIds(row.company_ids));
  if (isFew) return found;
  companies.keep(`name ${name}`, found);
  return intersect([others, found]);
}

async function search(filter: SearchFilter, window: Window, least_no: number): Promise<Found> {
  for (let newest_no = least_no; ;) {
    const { companies, snapshot_no } = await load(newest_no);
    const key = JSON.stringify([snapshot_no, filter, window]);
    const known = answers.get(key);
    if (known) return known;
    const matches = await match({ companies, snapshot_no }, filter);
    if (typeof matches === 'number') {
      newest_no = matches;
      continue;
    }
    const company_ids = companies.idsOf(listBits(matches, window.skipped, window.size));
    const found = { snapshot_no, total: countBits(matches), company_ids };
    answers.set(key, found);
    return found;
  }
}

async function answer({ search: asked, least_no }: SearchQuestion): Promise<SearchAnswer> {
  try {
    if (asked) return { found: await search(asked.filter, asked.window, least_no) };
    await load(least_no);
    return {};
  } catch (error) {
    const { message, code, isPassing } = error as Error & { code?: string; isPassing?: boolean };
    return { error: { message, code, isPassing } };
  }
}

parentPort!.on('message', (question: SearchQuestion) => {
  void answer(question).then((answered) => question.port.postMessage(answered, []));
});
