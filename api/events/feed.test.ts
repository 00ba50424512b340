import { describe, expect, test } from 'vitest';
import { refusal } from '../../fixtures/client/json-client.ts';
import { expectedDays } from '../../fixtures/expected.ts';
import { runFixture } from '../../fixtures/dump/night.ts';
import {
  createWatcher,
  type FeedEvent,
  type FeedPage,
  type FeedPart,
} from '../../fixtures/client/watcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { readCursor, writeCursor } from '../../sql/feed-cursor.ts';
import { watchCompanies } from '../../fixtures/client/watch.ts';

const now = new Date('2026-11-07T06:00:00.999Z');
const watched = ['1000201006', '1003201001', '1001001002', '1001203007', '1002802000'];

const { database, api } = await useApi({ now: () => now });
// The account `everything` watches every company from the baseline on; the account `stranger` watches no company.
const [watcher, stranger, everything] = await Promise.all([
  createWatcher(database, api),
  createWatcher(database, api),
  createWatcher(database, api),
]);
const [baseline, ...nights] = expectedDays;
await runFixture(database, baseline!.date);
await watcher.watch(...watched);
await watcher.ask('POST /companies/add', {
  identifiers: [{ identifier_type: 'NIP', identifier_value: watched[0], reference: 'Supplier 17' }],
});
await watchCompanies(database, everything.account_id);
for (const { date } of nights) await runFixture(database, date);

function part(query: Record<string, string | number> = {}, who = watcher): Promise<FeedPart> {
  const text = new URLSearchParams(query as Record<string, string>);
  return who.read<FeedPart>(`/events/feed?${text.toString()}`);
}

/** Reads all parts of the feed for a query, and returns their events. */
async function readAll(query: Record<string, string | number>): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let after: string | undefined; ;) {
    const { data, meta } = await part({ ...query, ...(after === undefined ? {} : { after }) });
    events.push(...data);
    if (!meta.has_more) return events;
    expect(data).toHaveLength(Number(query.limit));
    after = meta.next_cursor;
  }
}

const idsOf = (events: FeedEvent[]) => events.map(({ event_id }) => event_id);

/** Returns the event numbers in `registry.event`: of all events, or of the events of companies with the given NIPs. */
async function publishedIds(nips?: string[]): Promise<number[]> {
  const { rows } = await database.pool.query<{ event_id: number }>(
    `select event_id::int
     from registry.event
     join registry.company using (company_id)
     where $1::text[] is null or nip = any($1)
     order by event_id`,
    [nips ?? null],
  );
  return rows.map(({ event_id }) => event_id);
}

describe('GET /api/v1/events/feed', () => {
  test('200 tells of the watched companies, the oldest first', async () => {
    const { status, data, meta } = await part();
    expect(status).toBe('success');
    expect(data[0]).toEqual({
      event_id: data[0]!.id,
      id: expect.any(Number),
      event_type: 'COMPANY_PHONE_ADDED',
      old_value: null,
      new_value: '400202101',
      event_date: '2026-11-03',
      severity: 'notice',
      event_class: 'growth',
      category: 'contacts',
      source: 'ceidg',
      country_code: 'PL',
      primary_identifier: '1000201006',
      identifier_type: 'NIP',
      company_name: 'Piekarnia Pod Wieżą Anna Żakowska',
      company_ref: expect.stringMatching(/^\d+$/),
      submitted_identifier: '1000201006',
      reference: 'Supplier 17',
    });
    expect(idsOf(data)).toEqual(await publishedIds(watched));
    expect(data.length).toBeGreaterThan(10);
    expect(meta).toEqual({
      next_cursor: expect.any(String),
      has_more: false,
      published: { ceidg: '2026-11-06' },
      fetched_at: '2026-11-07T06:00:00+00:00',
    });
  });

  test('200 with scope=all tells of every company, without gaps', async () => {
    const { data, meta } = await part({ scope: 'all' });
    expect(idsOf(data)).toEqual(await publishedIds());
    expect(idsOf(data)).toEqual(data.map((_, at) => at + 1));
    expect(meta.has_more).toBe(false);
    const nameless = data.find(({ company_name }) => company_name?.startsWith('Wyprowadzanie'));
    expect(nameless).toMatchObject({ primary_identifier: null, identifier_type: null });
  });

  test.each([
    { limit: 1 },
    { limit: 5 },
    { scope: 'all', limit: 7 },
    { scope: 'watched', limit: 1000 },
  ])('200 goes on from each cursor without a gap: %o', async (query) => {
    const ids = await publishedIds(query.scope === 'all' ? undefined : watched);
    expect(idsOf(await readAll(query))).toEqual(ids);
  });

  test('200 says whether there is more, also when a part ends with the last event', async () => {
    const count = (await publishedIds(watched)).length;
    expect((await part({ limit: count - 1 })).meta.has_more).toBe(true);
    expect((await part({ limit: count })).meta.has_more).toBe(false);
  });

  test('200 has a cursor even where nothing is, and gives one’s own events for another’s', async () => {
    const { data, meta } = await part({}, stranger);
    expect(data).toEqual([]);
    // A request at the end of the feed returns the cursor that it sent.
    expect(await part({ after: meta.next_cursor }, stranger)).toMatchObject({ data: [], meta });
    const { next_cursor } = (await part({ limit: 3 })).meta;
    expect((await part({ after: next_cursor }, stranger)).data).toEqual([]);
  });
});

const limitForm = 'The limit field must be a whole number from 1 to 1000.';
const cursorForm = 'The after field must be the next_cursor of an answer with the same scope.';
const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('GET /api/v1/events/feed, refused', () => {
  test.each([
    ['limit=0', 'limit', limitForm],
    ['limit=1001', 'limit', limitForm],
    ['scope=mine', 'scope', 'The scope field must be one of watched, all.'],
    ['after=', 'after', cursorForm],
    [`after=${encode('watched:-1')}`, 'after', cursorForm],
    [`after=${encode(`watched:${'9'.repeat(19)}`)}`, 'after', cursorForm],
    [`after=${encode('watched:1')}`, 'after', cursorForm],
    [`scope=all&after=${writeCursor({ scope: 'watched', event_id: '1' })}`, 'after', cursorForm],
    [`after=${writeCursor({ scope: 'all', event_id: '1' })}`, 'after', cursorForm],
    [
      `after=${'A'.repeat(101)}`,
      'after',
      'The after field must not be longer than 100 characters.',
    ],
    ['page=2', 'page', 'The page field is unknown.'],
  ])('422 for %s', async (query, field, message) => {
    expect(await stranger.ask(`GET /events/feed?${query}`)).toEqual(refusal(field, message));
  });

  test('422 for a cursor with a character too many, too few or wrong', async () => {
    const { body } = await stranger.ask('GET /events/feed?scope=all&limit=1');
    const { next_cursor } = (body as { meta: { next_cursor: string } }).meta;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const letters = ['', ...Array.from(alphabet)];
    const spoiled = new Set(
      Array.from(`${next_cursor}.`).flatMap((_, at) =>
        letters.flatMap((letter) => [
          next_cursor.slice(0, at) + letter,
          next_cursor.slice(0, at) + letter + next_cursor.slice(at + 1),
        ]),
      ),
    );
    spoiled.delete(next_cursor);
    expect([...spoiled].filter((cursor) => readCursor(cursor) !== undefined)).toEqual([]);
    const wrong = `GET /events/feed?scope=all&after=${next_cursor}A`;
    expect((await stranger.ask(wrong)).status).toBe(422);
  });

  test('422 for a cursor beyond what was ever published, which is that of another database', async () => {
    const last = Math.max(...(await publishedIds()));
    const [newest, beyond] = [last, last + 1].map((id) =>
      writeCursor({ scope: 'all', event_id: String(id) }),
    );
    const route = 'GET /events/feed?scope=all&after=';
    expect(await stranger.ask(route + newest)).toMatchObject({ status: 200, body: { data: [] } });
    expect(await stranger.ask(route + beyond)).toEqual(refusal('after', cursorForm));
  });
});

// Reads all events from the tables, the newest first: the feed is compared with this list.
const { rows: oracle } = await database.pool.query<FeedEvent>(
  `
  select
    event_id::int as id, event.event_type, old_value, new_value, event_date, severity,
    event_class, category, source, country_code,
    coalesce(nip, regon9) as primary_identifier,
    case when nip is not null then 'NIP' when regon9 is not null then 'REGON9' end
      as identifier_type,
    name as company_name, company_id::text as company_ref,
    (select identifier_value from customer.watch
      where watch.company_id = company.company_id and account_id = $1) as submitted_identifier,
    null as reference
  from registry.event
  join registry.event_type using (event_type)
  join registry.company using (company_id)
  where exists (
    select from customer.watch
    where watch.company_id = company.company_id and account_id = $1
  )
  order by event_date desc, event_id desc`,
  [everything.account_id],
);

function askPage(query = ''): Promise<FeedPage> {
  return everything.read<FeedPage>(`/watchlist/events?${query}`);
}

/** Reads all pages of the watch list's events, and returns the events. */
async function readPages(query: string, per_page: number): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let page = 1; ; page += 1) {
    const { data, meta } = await askPage(`${query}&per_page=${per_page}&page=${page}`);
    events.push(...data);
    if (page >= meta.last_page) return events;
    expect(data).toHaveLength(per_page);
  }
}

describe('GET /api/v1/watchlist/events', () => {
  test('200 gives the newest first, with the company of each', async () => {
    const { status, data, meta } = await askPage();
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
        event_class: 'change',
        category: 'activities',
        source: 'ceidg',
        country_code: 'PL',
        primary_identifier: '1003005004',
        identifier_type: 'NIP',
        company_name: 'Agent Ubezpieczeniowy Grażyna Polisa',
        company_ref: expect.stringMatching(/^\d+$/),
        submitted_identifier: expect.stringMatching(/^\d{9,10}$/),
        reference: null,
      },
    ]);
    expect(meta).toEqual({
      total: oracle.length,
      per_page: 20,
      current_page: 1,
      last_page: Math.ceil(oracle.length / 20),
      published: { ceidg: '2026-11-06' },
      fetched_at: '2026-11-07T06:00:00+00:00',
    });
  });

  test.each([7, 20, 100])('200 has each event once, %d a page', async (per_page) => {
    const events = await readPages('', per_page);
    const numbered = oracle.filter(({ primary_identifier }) => primary_identifier !== null);
    expect(events.filter((_, at) => oracle[at]!.primary_identifier !== null)).toEqual(numbered);
    expect(events.map(({ event_type, new_value }) => [event_type, new_value])).toEqual(
      oracle.map(({ event_type, new_value }) => [event_type, new_value]),
    );
  });

  test('200 names a company that has lost its numbers by the one that was submitted', async () => {
    const nameless = oracle.find(({ primary_identifier }) => primary_identifier === null)!;
    const found = (await readPages('', 100)).find(
      ({ company_name }) => company_name === nameless.company_name,
    );
    expect(found).toMatchObject({
      event_type: nameless.event_type,
      identifier_type: 'KRS',
      primary_identifier: expect.stringMatching(/^\d{10}$/),
    });
  });

  test('200 is empty past the end', async () => {
    const { data, meta } = await askPage('page=1000000000000&per_page=100');
    expect(data).toEqual([]);
    expect(meta).toMatchObject({ total: oracle.length, current_page: 1e12, last_page: 1 });
  });

  test('200 shows nothing of another account', async () => {
    const nothing = { data: [], meta: { total: 0, last_page: 1 } };
    expect(await stranger.read('/watchlist/events')).toMatchObject(nothing);
  });
});

const date = (field: string) =>
  `The ${field} field must be a calendar date in the form YYYY-MM-DD.`;

const history = '/companies/events?identifier_type=NIP&identifier_value=1000201006';

describe('GET /api/v1/watchlist/events, refused', () => {
  test.each([
    ['event_type=', 'event_type', 'The event_type field must be at least 1 character.'],
    [
      `event_type=${'A'.repeat(2001)}`,
      'event_type',
      'The event_type field must not be longer than 2000 characters.',
    ],
    ['from_date=2026-02-30', 'from_date', date('from_date')],
    ['to_date=2026-11-6', 'to_date', date('to_date')],
    ['from_date=0000-01-01', 'from_date', 'The from_date field must not be before 0001-01-01.'],
    [
      'from_date=2026-11-05&to_date=2026-11-04',
      'to_date',
      'The to_date field must not be before from_date.',
    ],
    ['scope=all', 'scope', 'The scope field is unknown.'],
    ['event_type=1234', 'event_type', 'The event_type field must be the name of an event type.'],
    [
      'severity=high,hihg',
      'severity',
      'The severity field must be the name of a severity such as high.',
    ],
    [
      'category=contact',
      'category',
      'The category field must be the name of a category such as contacts, activities.',
    ],
    ['source=CEIDGG', 'source', 'The source field must be the name of a source such as ceidg.'],
    [
      'event_class=risks',
      'event_class',
      'The event_class field must be the name of an event class such as risk, recovery.',
    ],
    [
      'voivodeship=mazowieckie,mazowsze&country=PL',
      'voivodeship',
      expect.stringContaining('must be the name of a voivodeship; near ones: ') as string,
    ],
    [
      'activity_prefix=4x',
      'activity_prefix',
      'The activity_prefix field must be the beginning of an activity code without dots, such as 47.',
    ],
    ['country=XX', 'country', 'The country field must be one of PL, FR, all.'],
  ])('422 for %s', async (query, field, message) => {
    for (const path of ['/watchlist/events', history]) {
      const separator = path.includes('?') ? '&' : '?';
      const answer = await everything.ask(`GET ${path}${separator}${query}`);
      expect(answer).toEqual(refusal(field, message));
    }
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
});
