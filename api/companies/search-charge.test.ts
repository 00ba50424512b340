import { describe, expect, test } from 'vitest';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import { createSearcher, readMovements } from '../../fixtures/client/searcher.ts';
import { hold } from '../../fixtures/database/locks.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';

const database = await createFirstDay();
const api = await startTestApi({ db: database.kysely });
const searcher = await createSearcher(database.kysely, api);

const code = 'must be an activity code without dots, such as 4711Z';
const prefix = 'must be the beginning of an activity code without dots, such as 47';
const page = 'must be a whole number from 1 to 1000000000000';
const calendar = 'must be a calendar date in the form YYYY-MM-DD';

interface Found {
  total: number;
  results: { status: string }[];
}

describe('GET /api/v1/companies/search', () => {
  test('200 costs a credit, whatever the page and whatever it finds, also to HEAD', async () => {
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

  test('402 names what is missing, but no total, not even that it is 0, and leaves the wallet as it is', async () => {
    const dear = await startTestApi({ db: database.kysely, SEARCH_CREDITS: 150 });
    const own = await createSearcher(database.kysely, dear);
    const body = {
      message: 'This costs 150 credits, and the wallet has 50.',
      code: 'INSUFFICIENT_CREDITS',
      required: 150,
      balance: 50,
    };
    const refusal = { status: 402, body, charged: '0', balance: '50', etag: null };
    const answers = await Promise.all([1, 2, 3].map(() => own.search('')));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toEqual([refusal, refusal]);
    const queries = ['?page=2', '?page=9', '?city=Wrocław&page=1000000000000', '?city=Nowhere'];
    for (const query of queries) expect(await own.search(query)).toEqual(refusal);
    expect(await readMovements(database.kysely, own.account_id)).toHaveLength(2);
    await dear.close();
  });

  test.each([
    ['activity_code', '47.11.Z', code],
    ['activity_code', '4711', code],
    ['activity_code', '', code],
    ['activity_code', "4711Z' | '", code],
    ['activity_code', '4711Z:*', code],
    ['activity_prefix', '%', prefix],
    ['activity_prefix', '47%', prefix],
    ['activity_prefix', '', prefix],
    ['activity_prefix', '4'.repeat(40), prefix],
    ['activity_prefix', 'Z', prefix],
    ['activity_prefix', '４７', prefix],
    ['activity_start_from', '2026-02-30', calendar],
    ['activity_start_from', '2026-2-3', calendar],
    ['activity_start_from', '03.02.2026', calendar],
    ['activity_start_to', '', calendar],
    ['activity_start_to', '10000-01-01', calendar],
    ['activity_start_to', '0000-01-01', 'must not be before 0001-01-01'],
    ['voivodeship', '', 'must not be blank'],
    [
      'voivodeship',
      'slask',
      'must be the name of a voivodeship; near ones: slaskie, dolnoslaskie, podlaskie, swietokrzyskie',
    ],
    ['voivodeship', '☃', 'must be the name of a voivodeship'],
    ['city', ' ', 'must not be blank'],
    ['city', 'ł'.repeat(151), 'must not be longer than 150 characters'],
    ['city', 'a\0', 'must not contain a NUL character'],
    ['postal_code', '0'.repeat(21), 'must not be longer than 20 characters'],
    ['status', 'active', 'must be one of ACTIVE, SUSPENDED, DELETED'],
    [
      'legal_form',
      'spolka-z-oo',
      'must be the slug of a legal form; near ones: spolka-z-ograniczona-odpowiedzialnoscia, spolka-jawna, spolka-akcyjna, spolka-cywilna, spolka-europejska',
    ],
    ['name', 'ab', 'must have at least 3 letters'],
    ['name', 'a-b %%%', 'must have at least 3 letters'],
    ['name', 'a'.repeat(151), 'must not be longer than 150 characters'],
    ['page', '0', page],
    ['City', 'Łódź', 'is unknown'],
  ])('422 for %s=%s', async (field, value, wrong) => {
    const message = `The ${field} field ${wrong}.`;
    const query = new URLSearchParams({ [field]: value }).toString();
    expect(await searcher.search(`?${query}`)).toMatchObject({
      status: 422,
      body: { message, errors: { [field]: [message] } },
      charged: null,
    });
  });

  test('422 for a reversed range', async () => {
    const message = 'The activity_start_to field must not be before activity_start_from.';
    const query = '?activity_start_from=2026-01-02&activity_start_to=2026-01-01';
    expect(await searcher.search(query)).toMatchObject({
      status: 422,
      body: { message, errors: { activity_start_to: [message] } },
    });
    expect((await searcher.search(query.replace('02&', '01&'))).status).toBe(200);
  });

  test('422 names every unknown word', async () => {
    const { body } = await searcher.search('?voivodeship=opolska&legal_form=jawna');
    expect(Object.keys((body as { errors: object }).errors)).toEqual(['voivodeship', 'legal_form']);
  });

  test('an error is free', async () => {
    // The six transactions are the bonus, the four searches of the first test, and the search with the valid range of
    // days. Refused searches cost nothing.
    expect(await readMovements(database.kysely, searcher.account_id)).toHaveLength(6);
  });

  test('429 for a search of an account that has one under way and sixteen waiting, and for nobody else', async () => {
    const strict = await startTestApi({ db: database.kysely, SEARCHES_IN_FLIGHT: 1 });
    const own = await createSearcher(database.kysely, strict);
    const other = await createSearcher(database.kysely, strict);
    const release = await hold(database.pool, 'lock table registry.company');
    const asked = Array.from({ length: 18 }, () => own.search('?city=Wrocław'));
    const message = 'At most 1 searches may be under way at a time, and 16 wait.';
    expect(await Promise.race(asked)).toMatchObject({ status: 429, body: { message } });
    const others = other.search('?city=Wrocław');
    await release();
    const answers = await Promise.all([...asked, others]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(18);
    await strict.close();
  });

  test('200 with total and results of one snapshot while nights are published', async () => {
    // The test clock moves one minute forward before every request, so that no request limit is reached.
    let minute = 0;
    const now = () => new Date(Date.now() + (minute += 1) * 60_000);
    const unlimited = await startTestApi({ db: database.kysely, now });
    const own = await createSearcher(database.kysely, unlimited, 100_000);
    const nights = async () => {
      for (const day of [3, 4, 5, 6]) await runFixture(database, `2026-11-0${day}`);
      return 'over';
    };
    const running = nights();
    const totals = new Set<unknown>();
    for (;;) {
      const { body } = await own.search('?status=DELETED');
      const { total, results } = (body as { data: Found }).data;
      totals.add(total);
      expect(results.map(({ status }) => status)).toEqual(Array(total).fill('DELETED'));
      if ((await Promise.race([running, Promise.resolve('under way')])) === 'over') break;
    }
    expect(await own.search('?status=DELETED')).toMatchObject({ body: { data: { total: 7 } } });
    expect(totals.size).toBeGreaterThan(1);
    await unlimited.close();
  });
});
