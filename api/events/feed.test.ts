import { describe, expect, test } from 'vitest';
import { createApiToken } from '../../fixtures/client/account.ts';
import { expectedDays } from '../../fixtures/ceidg/expected.ts';
import { askJson } from '../../fixtures/client/json-client.ts';
import { runFixture } from '../../fixtures/dump/night.ts';
import { createWatcher, type FeedEvent, type FeedPart } from '../../fixtures/client/watcher.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { readCursor, writeCursor } from '../../sql/feed-cursor.ts';

const now = new Date('2026-11-07T06:00:00.999Z');
const watched = ['1000201006', '1003201001', '1001001002', '1001203007', '1002802000'];

const { database, api } = await useApi({ now: () => now });
const [watcher, stranger] = await Promise.all([
  createWatcher(database, api),
  createWatcher(database, api),
]);
const [baseline, ...nights] = expectedDays;
await runFixture(database, baseline!.date);
await watcher.watch(...watched);
for (const { date } of nights) await runFixture(database, date);

function part(query: Record<string, string | number> = {}, who = watcher): Promise<FeedPart> {
  const text = new URLSearchParams(query as Record<string, string>);
  return who.read<FeedPart>(`/events/feed?${text.toString()}`);
}

/** Reads on until there is no more. */
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

/** The numbers of all events, or of the events of some companies, as the registry has them. */
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
      primary_identifier: '1000201006',
      identifier_type: 'NIP',
      company_name: 'Piekarnia Pod Wieżą Anna Żakowska',
      company_ref: expect.stringMatching(/^\d+$/),
      submitted_identifier: '1000201006',
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

  test('200 gives the cursor back while there is nothing new', async () => {
    const { meta } = await part();
    const again = await part({ after: meta.next_cursor });
    expect(again).toMatchObject({ data: [], meta: { ...meta, has_more: false } });
  });

  test('200 has a cursor even where nothing is', async () => {
    const { data, meta } = await part({}, stranger);
    expect(data).toEqual([]);
    expect(await part({ after: meta.next_cursor }, stranger)).toMatchObject({ data: [], meta });
  });

  test('200 gives one’s own events for the cursor of another account', async () => {
    const { meta } = await part({ limit: 3 });
    expect((await part({ after: meta.next_cursor }, stranger)).data).toEqual([]);
  });

  test('200 with an API token, free', async () => {
    const { plaintext: token } = await createApiToken(database.kysely, watcher.account_id);
    expect(await askJson(api, 'GET /events/feed', { token })).toMatchObject({ status: 200 });
    expect(await watcher.read('/wallet')).toMatchObject({ data: { balance: 200 } });
  });

  test('401 without a token', async () => {
    expect(await askJson(api, 'GET /events/feed')).toMatchObject({ status: 401 });
  });
});

const limitForm = 'The limit field must be a whole number from 1 to 1000.';
const cursorForm = 'The after field must be the next_cursor of an answer with the same scope.';
const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('GET /api/v1/events/feed, refused', () => {
  test.each([
    ['limit=0', 'limit', limitForm],
    ['limit=1001', 'limit', limitForm],
    ['limit=-1', 'limit', limitForm],
    ['limit=', 'limit', limitForm],
    ['limit=5&limit=6', 'limit', 'The limit field must be given only once.'],
    ['scope=mine', 'scope', 'The scope field must be one of watched, all.'],
    ['after=', 'after', cursorForm],
    ['after=12', 'after', cursorForm],
    [`after=${encode('watched:-1')}`, 'after', cursorForm],
    [`after=${encode('watched:1')}%3D`, 'after', cursorForm],
    [`after=${encode('watched:01')}`, 'after', cursorForm],
    [`after=${encode('watched:1 ')}`, 'after', cursorForm],
    [`after=${encode(`watched:${'9'.repeat(19)}`)}`, 'after', cursorForm],
    [`after=${encode('watched:1')}`, 'after', cursorForm],
    [`after=${writeCursor({ scope: 'watched', event_id: '1' })}A`, 'after', cursorForm],
    [`scope=all&after=${writeCursor({ scope: 'watched', event_id: '1' })}`, 'after', cursorForm],
    [`after=${writeCursor({ scope: 'all', event_id: '1' })}`, 'after', cursorForm],
    [
      `after=${'A'.repeat(101)}`,
      'after',
      'The after field must not be longer than 100 characters.',
    ],
    ['page=2', 'page', 'The page field is unknown.'],
    ['event_type=COMPANY_SUSPENDED', 'event_type', 'The event_type field is unknown.'],
  ])('422 for %s', async (query, field, message) => {
    expect(await stranger.ask(`GET /events/feed?${query}`)).toEqual({
      status: 422,
      body: { message, errors: { [field]: [message] } },
    });
  });

  test('422 for a cursor with a character too many, too few or wrong', async () => {
    const { body } = await stranger.ask('GET /events/feed?scope=all&limit=1');
    const { next_cursor } = (body as { meta: { next_cursor: string } }).meta;
    expect((await stranger.ask(`GET /events/feed?scope=all&after=${next_cursor}`)).status).toBe(
      200,
    );
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');
    const places = Array.from(next_cursor, (_, at) => at);
    const spoiled = new Set([
      ...alphabet.map((letter) => next_cursor + letter),
      ...places.flatMap((at) => alphabet.map((letter) => next_cursor.slice(0, at) + letter)),
      ...places.flatMap((at) => [
        next_cursor.slice(0, at),
        next_cursor.slice(0, at) + next_cursor.slice(at + 1),
        ...alphabet.map((letter) => next_cursor.slice(0, at) + letter + next_cursor.slice(at + 1)),
      ]),
    ]);
    spoiled.delete(next_cursor);
    expect([...spoiled].filter((cursor) => readCursor(cursor) !== undefined)).toEqual([]);
    const { status } = await stranger.ask(`GET /events/feed?scope=all&after=${next_cursor}A`);
    expect(status).toBe(422);
  });

  test('422 for a cursor beyond what was ever published, which is that of another database', async () => {
    const last = Math.max(...(await publishedIds()));
    const [newest, beyond] = [last, last + 1].map((id) =>
      writeCursor({ scope: 'all', event_id: String(id) }),
    );
    const route = 'GET /events/feed?scope=all&after=';
    expect(await stranger.ask(route + newest)).toMatchObject({ status: 200, body: { data: [] } });
    expect(await stranger.ask(route + beyond)).toEqual({
      status: 422,
      body: { message: cursorForm, errors: { after: [cursorForm] } },
    });
  });
});
