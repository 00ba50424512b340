import { describe, expect, test } from 'vitest';
import { expectedDays } from '../../fixtures/ceidg/expected.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { runFixture } from '../../fixtures/dump/night.ts';
import { createWatch } from '../../fixtures/client/watch.ts';
import { createWatcher, type FeedEvent, type FeedPage } from '../../fixtures/client/watcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const now = new Date('2026-11-07T06:00:00.999Z');

const { database, api } = await useApi({ now: () => now });
// `everything` watches every company from the baseline on.
const [everything, nothing] = await Promise.all([
  createWatcher(database, api),
  createWatcher(database, api),
]);
const [baseline, ...nights] = expectedDays;
await runFixture(database, baseline!.date);
const companies = await database.kysely
  .selectFrom('registry.company')
  .select('company_id')
  .execute();
for (const { company_id } of companies) {
  await createWatch(database.kysely, { account_id: everything.account_id, company_id });
}
for (const { date } of nights) await runFixture(database, date);
// All events, the newest first, by another way than the feed.
const { rows: oracle } = await database.pool.query<FeedEvent>(`
  select
    event_id::int as id, event.event_type, old_value, new_value, event_date, severity,
    coalesce(nip, regon9) as primary_identifier,
    case when nip is not null then 'NIP' when regon9 is not null then 'REGON9' end
      as identifier_type,
    name as company_name, company_id::text as company_ref,
    (select identifier_value from customer.watch where watch.company_id = company.company_id)
      as submitted_identifier
  from registry.event
  join registry.event_type using (event_type)
  join registry.company using (company_id)
  order by event_date desc, event_id desc`);

function ask(query = ''): Promise<FeedPage> {
  return everything.read<FeedPage>(`/watchlist/events?${query}`);
}

/** All pages of a feed, one after the other. */
async function readAll(query: string, per_page: number): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let page = 1; ; page += 1) {
    const { data, meta } = await ask(`${query}&per_page=${per_page}&page=${page}`);
    events.push(...data);
    if (page >= meta.last_page) return events;
    expect(data).toHaveLength(per_page);
  }
}

function summarise(events: FeedEvent[]) {
  return events.map(({ event_date, old_value, new_value }) => [event_date, old_value, new_value]);
}

describe('GET /api/v1/watchlist/events', () => {
  test('200 gives the newest first, with the company of each', async () => {
    const { status, data, meta } = await ask();
    expect(status).toBe('success');
    expect(data).toHaveLength(20);
    expect(data.slice(0, 1)).toEqual([
      {
        id: expect.any(Number),
        event_type: 'COMPANY_ACTIVITIES_RECLASSIFIED',
        old_value: '6622Z',
        new_value: '6622Z',
        event_date: '2026-11-06',
        severity: 'info',
        primary_identifier: '1003005004',
        identifier_type: 'NIP',
        company_name: 'Agent Ubezpieczeniowy Grażyna Polisa',
        company_ref: expect.stringMatching(/^\d+$/),
        submitted_identifier: expect.stringMatching(/^\d{9,10}$/),
      },
    ]);
    expect(meta).toEqual({
      total: oracle.length,
      per_page: 20,
      current_page: 1,
      last_page: Math.ceil(oracle.length / 20),
      fetched_at: '2026-11-07T06:00:00+00:00',
    });
  });

  test.each([7, 20, 100])('200 has each event once, %d a page', async (per_page) => {
    const events = await readAll('', per_page);
    const numbered = oracle.filter(({ primary_identifier }) => primary_identifier !== null);
    expect(events.filter((_, at) => oracle[at]!.primary_identifier !== null)).toEqual(numbered);
    expect(events.map(({ event_type, new_value }) => [event_type, new_value])).toEqual(
      oracle.map(({ event_type, new_value }) => [event_type, new_value]),
    );
  });

  test('200 names a company that has lost its numbers by the one that was submitted', async () => {
    const nameless = oracle.find(({ primary_identifier }) => primary_identifier === null)!;
    const found = (await readAll('', 100)).find(
      ({ company_name }) => company_name === nameless.company_name,
    );
    expect(found).toMatchObject({
      event_type: nameless.event_type,
      identifier_type: 'KRS',
      primary_identifier: expect.stringMatching(/^\d{10}$/),
    });
  });

  test.each([
    ['event_type=COMPANY_PHONE_CHANGED'],
    ['event_type=COMPANY_STRUCK_OFF&from_date=2026-11-04&to_date=2026-11-05'],
    ['event_type=COMPANY_REGISTERED'],
    ['from_date=2026-11-05'],
    ['to_date=2026-11-03'],
    ['from_date=2026-11-04&to_date=2026-11-04'],
    ['from_date=2026-11-07'],
    ['from_date=0001-01-01&to_date=9999-12-31'],
  ])('200 filters: %s', async (query) => {
    const {
      event_type,
      from_date = '0000',
      to_date = '9999',
    } = Object.fromEntries(new URLSearchParams(query));
    const expected = oracle.filter(
      (event) =>
        (event_type === undefined || event.event_type === event_type) &&
        event.event_date >= from_date &&
        event.event_date <= to_date,
    );
    expect(summarise(await readAll(query, 5))).toEqual(summarise(expected));
    expect((await ask(query)).meta.total).toBe(expected.length);
  });

  test('200 is empty past the end', async () => {
    const { data, meta } = await ask('page=1000000000000&per_page=100');
    expect(data).toEqual([]);
    expect(meta).toMatchObject({
      total: oracle.length,
      current_page: 1_000_000_000_000,
      last_page: 1,
    });
  });

  test('200 shows nothing of another account', async () => {
    expect(await nothing.read('/watchlist/events')).toMatchObject({
      data: [],
      meta: { total: 0, last_page: 1 },
    });
  });

  test('200, free', async () => {
    expect(await everything.read('/wallet')).toMatchObject({ data: { balance: 200 } });
  });

  test('401 without a token', async () => {
    expect(await askJson(api, 'GET /watchlist/events')).toMatchObject({ status: 401 });
  });
});

const date = (field: string) =>
  `The ${field} field must be a calendar date in the form YYYY-MM-DD.`;
const pageForm = 'The page field must be a whole number from 1 to 1000000000000.';
const perPageForm = 'The per_page field must be a whole number from 1 to 100.';

describe('GET /api/v1/watchlist/events, refused', () => {
  test.each([
    ['event_type=', 'event_type', 'The event_type field must be at least 1 character.'],
    [
      `event_type=${'A'.repeat(101)}`,
      'event_type',
      'The event_type field must not be longer than 100 characters.',
    ],
    ['event_type=%00', 'event_type', 'The event_type field must not contain a NUL character.'],
    [
      'event_type=COMPANY_SUSPENDED&event_type=COMPANY_RESUMED',
      'event_type',
      'The event_type field must be given only once.',
    ],
    ['from_date=2026-02-30', 'from_date', date('from_date')],
    ['to_date=2026-11-6', 'to_date', date('to_date')],
    ['to_date=yesterday', 'to_date', date('to_date')],
    ['from_date=', 'from_date', date('from_date')],
    [
      'from_date=2026-11-05&from_date=2026-11-06',
      'from_date',
      'The from_date field must be given only once.',
    ],
    ['from_date=0000-01-01', 'from_date', 'The from_date field must not be before 0001-01-01.'],
    [
      'from_date=2026-11-05&to_date=2026-11-04',
      'to_date',
      'The to_date field must not be before from_date.',
    ],
    ['page=0', 'page', pageForm],
    ['page=-1', 'page', pageForm],
    ['page=1000000000001', 'page', pageForm],
    ['page=1&page=2', 'page', 'The page field must be given only once.'],
    ['per_page=101', 'per_page', perPageForm],
    ['per_page=', 'per_page', perPageForm],
    ['severity=critical', 'severity', 'The severity field is unknown.'],
  ])('422 for %s', async (query, field, message) => {
    expect(await everything.ask(`GET /watchlist/events?${query}`)).toEqual({
      status: 422,
      body: { message, errors: { [field]: [message] } },
    });
  });

  test.each([
    ['COMPANY_ADRESS_CHANGED', 'COMPANY_ADDRESS_CHANGED'],
    ['company_name_changed', 'COMPANY_NAME_CHANGED'],
    ['suspended', 'COMPANY_SUSPENDED'],
  ])('422 names the event types that are near: %s', async (event_type, near) => {
    const answer = await everything.ask(`GET /watchlist/events?event_type=${event_type}`);
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: { event_type: [expect.stringContaining(` such as ${near}, COMPANY_`)] } },
    });
  });

  test('422 names none where none is near', async () => {
    const message = 'The event_type field must be the name of an event type.';
    expect(await everything.ask('GET /watchlist/events?event_type=1234')).toEqual({
      status: 422,
      body: { message, errors: { event_type: [message] } },
    });
  });
});
