import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createSearcher } from '../../fixtures/client/searcher.ts';
import { hold } from '../../fixtures/database/locks.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import type { SearchFilter } from './filter.ts';
import { createSearchIndex, type SearchIndex } from './client.ts';
import { findPlace } from './index-socket.ts';

let opened: SearchIndex[] = [];

const database = await createFirstDay();
const folder = await mkdtemp(join(tmpdir(), 'registry-search-test-'));

afterEach(endAll);

/** Opens a search index as another API process would. */
function open(options: Parameters<typeof createSearchIndex>[1] = {}): SearchIndex {
  const index = createSearchIndex([database.connection], { patience_ms: 2_000, ...options });
  opened.push(index);
  return index;
}

/** Returns the pid of the process that holds the search index. */
async function findHolder(): Promise<number> {
  const { socket } = await findPlace([database.connection], undefined);
  return Number.parseInt(await readlink(`${socket}.lock`), 10);
}

/** Waits until the index of all companies is stored in a file, from which the next process can load it. */
async function waitUntilKept(): Promise<void> {
  const { name } = await findPlace([database.connection], folder);
  await expect.poll(() => existsSync(join(folder, `${name}-0`))).toBe(true);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Closes the opened indexes, and waits until the process that holds the index has ended, because this process would
 * answer the searches of later tests.
 */
async function endAll(): Promise<void> {
  const pid = await findHolder().catch(() => undefined);
  for (const index of opened) index.close();
  opened = [];
  if (pid) await expect.poll(() => isAlive(pid)).toBe(false);
}

async function find(index: SearchIndex, wanted: Partial<SearchFilter>, least_no = 0) {
  const filter: SearchFilter = { status: 'ACTIVE', ...wanted };
  while (!(await index.isReady()));
  const { total, snapshot_no } = await index.find({ filter, skipped: 0, size: 20 }, least_no);
  return { total, snapshot_no };
}

/**
 * Moves the company of one city to another city, and publishes the change if `isPublished` is true.
 * @returns the newest snapshot
 */
async function move(from: string, to: string, isPublished: boolean): Promise<number> {
  await database.pool.query(
    `update registry.company
     set city = $2, changed_snapshot_no = case when $3 then registry.next_snapshot_no() else changed_snapshot_no end
     where city = $1`,
    [from, to, isPublished],
  );
  if (isPublished) await database.pool.query('select registry.end_publication()');
  const { rows } = await database.pool.query<{ last_id: string }>(
    `select last_id from registry.last_id where table_name = 'snapshot'`,
  );
  return Number(rows[0]!.last_id);
}

test('API processes of a machine share one index, which ends with the last of them', async () => {
  const [one, other] = [open(), open()];
  const found = await Promise.all([one, other].map((index) => find(index, { city: 'lublin' })));
  expect(found.map(({ total }) => total)).toEqual([1, 1]);
  const pid = await findHolder();
  one.close();
  expect((await find(other, { city: 'lublin' })).total).toBe(1);
  expect(await findHolder()).toBe(pid);
  other.close();
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('A search goes on after the process of the index was killed, with what that had kept', async () => {
  const index = open({ folder });
  expect((await find(index, { city: 'lublin' })).total).toBe(1);
  await waitUntilKept();
  // The company's move is not published, so only an index that reloads all companies would find it in its new city.
  await move('Lublin', 'Nigdzie', false);
  process.kill(await findHolder(), 'SIGKILL');
  expect((await find(index, { city: 'lublin' })).total).toBe(1);
  expect((await find(index, { city: 'nigdzie' })).total).toBe(0);
  await move('Nigdzie', 'Lublin', false);
});

test('A search goes on after the folder of the socket was removed and the process of the index killed', async () => {
  const own = await mkdtemp(join(tmpdir(), 'registry-'));
  vi.stubEnv('TMPDIR', own);
  try {
    const index = open();
    expect((await find(index, { city: 'lublin' })).total).toBe(1);
    const pid = await findHolder();
    const { socket } = await findPlace([database.connection], undefined);
    await rm(dirname(socket), { recursive: true });
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
    const filter: SearchFilter = { status: 'ACTIVE', city: 'lublin' };
    expect(await index.find({ filter, skipped: 0, size: 20 })).toMatchObject({ total: 1 });
    await chmod(dirname(socket), 0o755);
    await expect(index.find({ filter, skipped: 0, size: 20 })).rejects.toThrow('alone');
    await chmod(dirname(socket), 0o700);
    await endAll();
  } finally {
    vi.unstubAllEnvs();
    await rm(own, { recursive: true });
  }
});

test('A search beside a process of the index that hangs is a 503, and the next one is answered when it goes on', async () => {
  const index = open();
  expect((await find(index, { city: 'lublin' })).total).toBe(1);
  const pid = await findHolder();
  process.kill(pid, 'SIGSTOP');
  try {
    const filter: SearchFilter = { status: 'ACTIVE', city: 'lublin' };
    const searches = Array.from({ length: 3 }, () => index.find({ filter, skipped: 0, size: 20 }));
    const refused = { status: 503 };
    // All searches may fail in one turn of the event loop, so all rejections get their handlers at once.
    await Promise.all(searches.map((search) => expect(search).rejects.toMatchObject(refused)));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect((await find(index, { city: 'lublin' })).total).toBe(1);
});

test.each([false, true])(
  'What was kept is not used of a database that was restored to an earlier moment; published again: %s',
  async (isPublished) => {
    const lost_no = await move('Lublin', 'Nigdzie', true);
    await rm(folder, { recursive: true });
    expect((await find(open({ folder }), { city: 'nigdzie' }, lost_no)).total).toBe(1);
    await waitUntilKept();
    await endAll();
    await database.pool.query(
      `with lost as (delete from registry.publication where snapshot_no = ${lost_no})
       update registry.last_id set last_id = ${lost_no} - 1 where table_name = 'snapshot'`,
    );
    const newest_no = await move('Nigdzie', 'Lublin', isPublished);
    expect(newest_no).toBe(isPublished ? lost_no : lost_no - 1);
    const index = open({ folder });
    expect((await find(index, { city: 'nigdzie' }, newest_no)).total).toBe(0);
    expect((await find(index, { city: 'lublin' }, newest_no)).total).toBe(1);
  },
);

test('A search is answered from the snapshot before while a newer one is loaded', async () => {
  const index = open({ patience_ms: 100 });
  const before = await find(index, { city: 'lublin' });
  const snapshot_no = await move('Lublin', 'Nigdzie', true);
  const release = await hold(database.pool, 'lock table registry.company');
  expect(await find(index, { city: 'lublin' }, snapshot_no)).toEqual(before);
  await release();
  await expect
    .poll(() => find(index, { city: 'nigdzie' }, snapshot_no))
    .toEqual({ total: 1, snapshot_no });
});

test('A page with a company that changed is not shown before the newer snapshot is loaded', async () => {
  const index = open({ patience_ms: 10 });
  const api = await startTestApi({ db: database.kysely, searchIndex: index });
  const searcher = await createSearcher(database.kysely, api);
  const cities = ['Nigdzie', 'Lublin'];
  for (let round = 0; round < 6; round += 1) {
    const [from, to] = [cities[round % 2]!, cities[(round + 1) % 2]!];
    expect(await searcher.search(`?city=${from}`)).toMatchObject({ body: { data: { total: 1 } } });
    await move(from, to, true);
    const gone = await searcher.search(`?city=${from}`);
    expect(gone).toMatchObject({ body: { data: { total: 0, results: [] } } });
  }
  await api.close();
});
