import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSearcher, readMovements, type Searcher } from '../../fixtures/client/searcher.ts';
import { startTestApi, type TestApi } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';

let database: TestDatabase;
let api: TestApi;
let searcher: Searcher;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startTestApi({ db: database.kysely });
  searcher = await createSearcher(database.kysely, api);
});

afterAll(async () => {
  await api.close();
  await database.drop();
});

const code = 'The activity_code field must be an activity code without dots, such as 4711Z.';
const prefix =
  'The activity_prefix field must be the beginning of an activity code without dots, such as 47.';
const page = 'The page field must be a whole number from 1 to 1000000000000.';
const once = 'must be given only once.';

function calendar(field: string): string {
  return `The ${field} field must be a calendar date in the form YYYY-MM-DD.`;
}

describe('GET /api/v1/companies/search', () => {
  test('200 finds nothing before the first snapshot', async () => {
    expect(await searcher.search('?city=Łódź')).toEqual({
      status: 200,
      body: {
        status: 'success',
        data: { total: 0, per_page: 20, current_page: 1, last_page: 1, results: [] },
      },
      charged: '1',
      balance: '199',
      etag: null,
    });
  });

  test('401 without a token', async () => {
    const response = await api.ask('/api/v1/companies/search');
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: 'Missing API token', code: 'UNAUTHORIZED' });
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
    ['activity_start_from', '2026-02-30', calendar('activity_start_from')],
    ['activity_start_from', '2026-2-3', calendar('activity_start_from')],
    ['activity_start_from', '03.02.2026', calendar('activity_start_from')],
    ['activity_start_to', '', calendar('activity_start_to')],
    ['activity_start_to', '10000-01-01', calendar('activity_start_to')],
    [
      'activity_start_to',
      '0000-01-01',
      'The activity_start_to field must not be before 0001-01-01.',
    ],
    ['voivodeship', '', 'The voivodeship field must not be blank.'],
    [
      'voivodeship',
      'slask',
      'The voivodeship field must be the name of a voivodeship; near ones: slaskie, dolnoslaskie, podlaskie, swietokrzyskie.',
    ],
    ['voivodeship', '☃', 'The voivodeship field must be the name of a voivodeship.'],
    ['city', ' ', 'The city field must not be blank.'],
    ['city', 'ł'.repeat(151), 'The city field must not be longer than 150 characters.'],
    ['city', 'a\0', 'The city field must not contain a NUL character.'],
    ['postal_code', '0'.repeat(21), 'The postal_code field must not be longer than 20 characters.'],
    ['status', 'active', 'The status field must be one of ACTIVE, SUSPENDED, DELETED.'],
    [
      'legal_form',
      'spolka-z-oo',
      'The legal_form field must be the slug of a legal form; near ones: spolka-z-ograniczona-odpowiedzialnoscia, spolka-jawna, spolka-akcyjna, spolka-cywilna, spolka-europejska.',
    ],
    ['name', 'ab', 'The name field must have at least 3 letters.'],
    ['name', 'a-b %%%', 'The name field must have at least 3 letters.'],
    ['name', 'a'.repeat(151), 'The name field must not be longer than 150 characters.'],
    ['page', '0', page],
    ['page', '-1', page],
    ['page', '1.5', page],
    ['page', '1000000000001', page],
    ['page', '', page],
    ['per_page', '5', 'The per_page field is unknown.'],
    ['City', 'Łódź', 'The City field is unknown.'],
  ])('422 for %s=%s', async (field, value, message) => {
    const query = new URLSearchParams({ [field]: value }).toString();
    expect(await searcher.search(`?${query}`)).toMatchObject({
      status: 422,
      body: { message, errors: { [field]: [message] } },
      charged: null,
    });
  });

  test.each([
    'activity_code=4711Z',
    'activity_prefix=47',
    'activity_start_from=2026-01-01',
    'activity_start_to=2026-01-01',
    'voivodeship=slaskie',
    'city=Opole',
    'postal_code=00-001',
    'status=ACTIVE',
    'legal_form=spolka-jawna',
    'name=nowak',
    'page=1',
  ])('422 for %s given twice', async (parameter) => {
    const [field] = parameter.split('=') as [string];
    const { status, body } = await searcher.search(`?${parameter}&${parameter}`);
    expect([status, (body as { message: string }).message]).toEqual([
      422,
      `The ${field} field ${once}`,
    ]);
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
    const { status, body } = await searcher.search('?voivodeship=opolska&legal_form=jawna');
    expect([status, body]).toEqual([
      422,
      {
        message: expect.stringContaining('near ones: opolskie') as string,
        errors: {
          voivodeship: [expect.stringContaining('opolskie')],
          legal_form: [expect.stringContaining('spolka-jawna')],
        },
      },
    ]);
  });

  test('charges the two searches that were answered alone', async () => {
    expect(await readMovements(database.kysely, searcher.account_id)).toEqual([
      ['start', 200, 200, 'Welcome bonus'],
      ['withdraw', 1, 199, 'Search, page 1'],
      ['withdraw', 1, 198, 'Search, page 1'],
    ]);
  });
});
