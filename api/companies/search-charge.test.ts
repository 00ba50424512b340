import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bounds as standard } from '../figures.ts';
import { createSearchIndex } from '../search/client.ts';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import {
  createSearcher,
  readMovements,
  type ChargedAnswer,
} from '../../fixtures/client/searcher.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import type { TestDatabase } from '../../fixtures/database/test-database.ts';

let database: TestDatabase;
let api: TestApi;

beforeAll(async () => {
  database = await createFirstDay();
  api = await startTestApi({ db: database.kysely });
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

interface Found {
  total: number;
  results: { status: string }[];
}

function totalOf({ status, body }: ChargedAnswer): unknown {
  return status === 200 ? (body as { data: { total: number } }).data.total : body;
}

describe('GET /api/v1/companies/search', () => {
  test('200 costs a credit, whatever the page and whatever it finds, also to HEAD', async () => {
    const searcher = await createSearcher(database.kysely, api);
    expect(await searcher.search('?city=Wrocław')).toMatchObject({ charged: '1', balance: '199' });
    expect(await searcher.search('?city=Nowhere')).toMatchObject({ charged: '1', balance: '198' });
    expect(await searcher.search('?page=9')).toMatchObject({
      status: 200,
      body: { data: { total: 74, results: [] } },
      charged: '1',
      balance: '197',
    });
    const head = await searcher.search('?city=Wrocław', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '', charged: '1', balance: '196' });
    expect(await readMovements(database.kysely, searcher.account_id)).toEqual([
      ['start', 200, 200, 'Welcome bonus'],
      ['withdraw', 1, 199, 'Search, page 1'],
      ['withdraw', 1, 198, 'Search, page 1'],
      ['withdraw', 1, 197, 'Search, page 9'],
      ['withdraw', 1, 196, 'Search, page 1'],
    ]);
  });

  test('402 tells no total, not even that it is 0, whatever the page', async () => {
    const dear = await startTestApi({ db: database.kysely, searchCredits: 201 });
    const searcher = await createSearcher(database.kysely, dear);
    const body = {
      message: 'This costs 201 credits, and the wallet has 200.',
      code: 'INSUFFICIENT_CREDITS',
      required: 201,
      balance: 200,
    };
    const queries = ['', '?page=2', '?page=9', '?city=Wrocław&page=1000000000000', '?city=Nowhere'];
    for (const query of queries) {
      expect(await searcher.search(query)).toMatchObject({ status: 402, body });
    }
    await dear.close();
  });

  test('402 says what is missing and leaves the wallet as it is', async () => {
    const dear = await startTestApi({ db: database.kysely, searchCredits: 150 });
    const searcher = await createSearcher(database.kysely, dear);
    const answers = await Promise.all([1, 2, 3].map(() => searcher.search('')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(2);
    expect(answers.find(({ status }) => status === 402)).toEqual({
      status: 402,
      body: {
        message: 'This costs 150 credits, and the wallet has 50.',
        code: 'INSUFFICIENT_CREDITS',
        required: 150,
        balance: 50,
      },
      charged: '0',
      balance: '50',
      etag: null,
    });
    expect(await readMovements(database.kysely, searcher.account_id)).toHaveLength(2);
    await dear.close();
  });

  test('429 for a search of an account that has one under way and sixteen waiting, and for nobody else', async () => {
    const bounds = { ...standard, REQUESTS_IN_FLIGHT: 100, SEARCHES_IN_FLIGHT: 1 };
    const strict = await startTestApi({ db: database.kysely, bounds });
    const searcher = await createSearcher(database.kysely, strict);
    const other = await createSearcher(database.kysely, strict);
    const holder = await database.pool.connect();
    await holder.query('begin; lock table registry.company in access exclusive mode');
    const asked = Array.from({ length: 18 }, () => searcher.search('?city=Wrocław'));
    const message = 'At most 1 searches may be under way at a time, and 16 wait.';
    expect(await Promise.race(asked)).toMatchObject({ status: 429, body: { message } });
    const others = other.search('?city=Wrocław');
    await holder.query('rollback');
    holder.release();
    const answers = await Promise.all([...asked, others]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(18);
    await strict.close();
  });

  test('200 without a transaction where it is free', async () => {
    const free = await startTestApi({ db: database.kysely, searchCredits: 0 });
    const searcher = await createSearcher(database.kysely, free);
    expect(await searcher.search('')).toMatchObject({ status: 200, charged: '0', balance: '200' });
    expect(await readMovements(database.kysely, searcher.account_id)).toHaveLength(1);
    await free.close();
  });

  test('200 finds by what the newest snapshot says, and by nothing that no night has published', async () => {
    const searcher = await createSearcher(database.kysely, api);
    const query = '?voivodeship=pomorskie';
    const inCity = `${query}&city=Piaseczno`;
    const move = (teryt: string) =>
      database.pool.query(
        `update registry.company set voivodeship = '${teryt}' where postal_code = '05-500'`,
      );
    expect(totalOf(await searcher.search(query))).toBe(5);
    expect(totalOf(await searcher.search(inCity))).toBe(0);
    // No night publishes this change: only a full reload would show it.
    expect((await move('22')).rowCount).toBe(1);
    expect(totalOf(await searcher.search(query))).toBe(5);
    expect(totalOf(await searcher.search(inCity))).toBe(0);
    const connection = { ...database.connection, application_name: 'an index of its own' };
    const searchIndex = createSearchIndex([connection]);
    const other = await startTestApi({ db: database.kysely, searchIndex });
    const another = await createSearcher(database.kysely, other);
    expect(totalOf(await another.search(query))).toBe(6);
    expect(totalOf(await another.search(inCity))).toBe(1);
    await other.close();
    searchIndex.close();
    await move('14');
    // Szprycha goes.
    await runFixture(database, '2026-11-03');
    expect(totalOf(await searcher.search(query))).toBe(4);
    expect(totalOf(await searcher.search(inCity))).toBe(0);
  });

  test('200 with total and results of one snapshot while nights are published', async () => {
    // Every request comes in a minute of its own, so that no limit meets it.
    let minute = 0;
    const now = () => new Date(Date.now() + (minute += 1) * 60_000);
    const unlimited = await startTestApi({ db: database.kysely, now });
    const searcher = await createSearcher(database.kysely, unlimited, 100_000);
    const nights = async () => {
      for (const day of ['2026-11-04', '2026-11-05', '2026-11-06']) await runFixture(database, day);
      return 'over';
    };
    const running = nights();
    const totals = new Set<unknown>();
    for (;;) {
      const { body } = await searcher.search('?status=DELETED');
      const { total, results } = (body as { data: Found }).data;
      totals.add(total);
      expect(results.map(({ status }) => status)).toEqual(Array(total).fill('DELETED'));
      if ((await Promise.race([running, Promise.resolve('under way')])) === 'over') break;
    }
    expect(totalOf(await searcher.search('?status=DELETED'))).toBe(7);
    expect(totals.size).toBeGreaterThan(1);
    await unlimited.close();
  });
});
