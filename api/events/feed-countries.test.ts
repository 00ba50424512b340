// Tests what readers of the API see while the nightly jobs of two countries run in parallel.
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { describe, expect, test } from 'vitest';
import { expectedEvents } from '../../fixtures/expected.ts';
import { watchCompanies } from '../../fixtures/client/watch.ts';
import {
  createWatcher,
  type FeedEvent,
  type FeedPage,
  type FeedPart,
} from '../../fixtures/client/watcher.ts';
import { countWaiting, hold } from '../../fixtures/database/locks.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import { runFrench, type Unit } from '../../fixtures/dump/other-country.ts';
import { lockPublishing } from '../../pipeline/night/lock.ts';
import { Reporter } from '../../pipeline/night/reporter.ts';
import { writeCursor } from '../../sql/feed-cursor.ts';
import { verify } from '../../pipeline/night/verify.ts';
import { forgetPerson } from '../../pipeline/console/person.ts';

const nips = ['1000201006', '1003201001', '1001001002', '1001203007', '1001401003', '1002802000'];
const units: Unit[] = [
  { siren: '732829320', name: 'Boulangerie' },
  { siren: '552100554', name: 'Club' },
];
const renamed: Unit[] = [
  { siren: '732829320', name: 'Boulangerie du Pont' },
  { siren: '552100554', name: 'Club' },
  { siren: '443061841', name: 'Nouvelle' },
];

let holder: PoolClient;

const { database, api } = await useApi({}, createFirstDay);
const watcher = await createWatcher(database, api);
await runFrench(database, '2026-11-02', units);
await watcher.watch(...nips);
await watchCompanies(database, watcher.account_id, `name = 'Boulangerie'`);

/** Reads a feed to its end, two events per request. Appends the events to `told`, and returns the last cursor. */
async function readOn(scope: 'watched' | 'all', told: FeedEvent[], after?: string, filter = '') {
  let cursor = after;
  for (;;) {
    const query = `scope=${scope}&country=all&limit=2${filter}${cursor === undefined ? '' : `&after=${cursor}`}`;
    const { data, meta } = await watcher.read<FeedPart>(`/events/feed?${query}`);
    told.push(...data);
    cursor = meta.next_cursor;
    if (!meta.has_more) return cursor;
  }
}

/** Returns the newest published day of each registry, as the feed states it in `meta.published`. */
async function publishedOf(query: string) {
  return (await watcher.read<FeedPart>(`/events/feed?${query}`)).meta.published;
}

async function select<Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> {
  return (await database.pool.query<Row>(query, values)).rows;
}

/** Returns the names of the companies that a search index with snapshot `seen_no` would load again. */
async function changedSince(seen_no: string): Promise<string[]> {
  const rows = await select<{ name: string }>(
    `select name from registry.company
     where changed_snapshot_no >= (
       select min(change_no) from registry.publication where snapshot_no > $1
     )
     order by name`,
    [seen_no],
  );
  return rows.map(({ name }) => name);
}

/** Returns a reporter that stores the messages of a nightly job. */
function listen() {
  const waiting = Promise.withResolvers<string>();
  const notes: string[] = [];
  const note = (sentence: string) => {
    notes.push(sentence);
    waiting.resolve(sentence);
  };
  return {
    notes,
    waiting: waiting.promise,
    reporter: Object.assign(new Reporter(), { note }),
  };
}

const ofTypes = '&event_type=COMPANY_NAME_CHANGED,COMPANY_PHONE_CHANGED';

describe('nights of two countries', () => {
  const watched: FeedEvent[] = [];
  const all: FeedEvent[] = [];
  const ofNames: FeedEvent[] = [];
  const french = listen();
  let frenchNight: Promise<object>;
  let cursors: [string, string];
  let cursorOfNames: string;
  let snapshot_no: string;

  test('do not wait for each other’s compare', async () => {
    holder = await database.pool.connect();
    await lockPublishing(holder, 'FR', () => undefined);
    frenchNight = runFrench(database, '2026-11-03', renamed, { reporter: french.reporter });
    expect(await french.waiting).toBe('waiting until another source is published');
    const polish = listen();
    await runFixture(database, '2026-11-03', { reporter: polish.reporter });
    expect(polish.notes).toEqual([]);
    cursors = [await readOn('watched', watched), await readOn('all', all)];
    cursorOfNames = await readOn('all', ofNames, undefined, ofTypes);
    expect(all).toHaveLength(
      expectedEvents.filter((one) => one.event_date === '2026-11-03').length,
    );
  });

  test('do not wait for each other’s publication, and a feed tells each as it is published', async () => {
    // From this line on, a row lock halts the French nightly job in the middle of its publication.
    const release = await hold(
      database.pool,
      `select from registry.run where source = 'sirene' and state = 'running' for update`,
    );
    holder.release(true);
    while ((await countWaiting(database.pool)) === 0) await delay(20);
    await runFixture(database, '2026-11-04');
    const before = all.length;
    cursors = [await readOn('watched', watched, cursors[0]), await readOn('all', all, cursors[1])];
    cursorOfNames = await readOn('all', ofNames, cursorOfNames, ofTypes);
    const dates = all.slice(before).map(({ event_date }) => event_date);
    expect(new Set(dates)).toEqual(new Set(['2026-11-04']));
    expect(dates.length).toBeGreaterThan(10);
    expect(await publishedOf('')).toEqual({ ceidg: '2026-11-04', sirene: '2026-11-02' });
    const lastNo = `select last_id from registry.last_id where table_name = 'snapshot'`;
    [{ last_id: snapshot_no }] = (await select(lastNo)) as [{ last_id: string }];
    expect(await changedSince(snapshot_no)).toEqual([]);
    await release();
    await frenchNight;
    expect(french.notes).toHaveLength(1);
  });

  test('leave out nothing of the one that ends last, whose events have smaller numbers', async () => {
    const [readBefore, readOfAll] = [watched.length, all.length];
    cursors = [await readOn('watched', watched, cursors[0]), await readOn('all', all, cursors[1])];
    cursorOfNames = await readOn('all', ofNames, cursorOfNames, ofTypes);
    const told = { event_type: 'COMPANY_NAME_CHANGED', new_value: 'Boulangerie du Pont' };
    expect(watched.slice(readBefore)).toMatchObject([told]);
    const registered = { event_type: 'COMPANY_REGISTERED', company_name: 'Nouvelle' };
    expect(all.slice(readOfAll)).toMatchObject([told, registered]);
    expect(await publishedOf('')).toEqual({ ceidg: '2026-11-04', sirene: '2026-11-03' });
    expect(await publishedOf('scope=all')).toEqual({ ceidg: '2026-11-04' });
    for (const query of ['country=FR', 'scope=all&source=sirene'])
      expect(await publishedOf(query)).toEqual({ sirene: '2026-11-03' });
    const [last, former] = [all.at(-1)!, all[readOfAll - 1]!];
    expect(last.id).toBeLessThan(former.id);
    expect(await changedSince(snapshot_no)).toEqual(
      expect.arrayContaining(['Boulangerie du Pont', 'Nouvelle']),
    );
  });

  test('are told once each, whether a feed is read as they come or afterwards', async () => {
    for (const [scope, told] of [['watched', watched] as const, ['all', all] as const]) {
      const anew: FeedEvent[] = [];
      await readOn(scope, anew);
      expect(anew.map(({ id }) => id)).toEqual(told.map(({ id }) => id));
      expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
    }
    const isOfNames = ({ event_type }: FeedEvent) => ofTypes.includes(event_type);
    expect(ofNames).toEqual(all.filter(isOfNames));
    expect(new Set(ofNames.map(({ country_code }) => country_code))).toEqual(new Set(['PL', 'FR']));
    const [counted] = await select('select count(*)::int as count from registry.event');
    expect(counted).toEqual({ count: all.length });
    const beyond = writeCursor({
      scope: 'all',
      event_id: String(Math.max(...all.map(({ id }) => id)) + 1),
    });
    expect(
      (await watcher.ask(`GET /events/feed?scope=all&country=all&after=${beyond}`)).status,
    ).toBe(422);
  });

  test('stand in the pages of a feed by country, also when a company is no longer watched', async () => {
    const read = async (query: string) => {
      const events: FeedEvent[] = [];
      for (let page = 1; ; page += 1) {
        const path = `/watchlist/events?per_page=3&page=${page}&${query}`;
        const { data, meta } = await watcher.read<FeedPage>(path);
        events.push(...data);
        if (page < meta.last_page) continue;
        expect(meta.total).toBe(events.length);
        return events;
      }
    };
    const listed = await read('');
    const ids = (events: FeedEvent[]) => events.map(({ id }) => id).toSorted((a, b) => a - b);
    expect(ids(listed)).toEqual(ids(watched));
    const countries = [
      ['FR', ({ identifier_type }: FeedEvent) => identifier_type === 'SIREN'] as const,
      ['pl', ({ identifier_type }: FeedEvent) => identifier_type !== 'SIREN'] as const,
      ['all', () => true] as const,
    ];
    for (const [country, isListed] of countries) {
      const events = listed.filter(isListed);
      expect(await read(`country=${country}`)).toEqual(events);
      const { event_type, event_date } = events.at(-1)!;
      const filter = `event_type=${event_type}&from_date=${event_date}&to_date=${event_date}`;
      expect(await read(`country=${country}&${filter}`)).toEqual(
        events.filter((one) => one.event_type === event_type && one.event_date === event_date),
      );
    }
    expect((await watcher.ask('GET /watchlist/events?country=XX')).status).toBe(422);

    const removed = (await read('country=pl'))[0]!.primary_identifier!;
    await watcher.unwatch(removed);
    const left = listed.filter(({ primary_identifier }) => primary_identifier !== removed);
    expect(left.length).toBeLessThan(listed.length);
    for (const [country, isListed] of countries) {
      expect(await read(`country=${country}`)).toEqual(left.filter(isListed));
    }
    await watcher.watch(removed);
  });

  test('go on with the cursor of an export, and tell which night saw a company first', async () => {
    await runFixture(database, '2026-11-05');
    const [newest] = await select<{ event_id: string }>(
      'select last_event_id as event_id from registry.event_range order by snapshot_no desc limit 1',
    );
    const late: FeedEvent[] = [];
    await readOn('all', late, cursors[1]);
    expect(String(late.at(-1)!.id)).toBe(newest!.event_id);
    expect(
      await select(
        `select name, first_seen_date from analyst.company where country_code = 'FR' order by name`,
      ),
    ).toEqual([
      { name: 'Boulangerie du Pont', first_seen_date: '2026-11-02' },
      { name: 'Club', first_seen_date: '2026-11-02' },
      { name: 'Nouvelle', first_seen_date: '2026-11-03' },
    ]);
    expect(await verify(database, 'ceidg')).toEqual([]);
    expect(await verify(database, 'sirene')).toEqual([]);
  });
});

test('a night does not wait for a request to be forgotten that waits for another country', async () => {
  const session = await database.pool.connect();
  await lockPublishing(session, 'FR', () => undefined);
  const request = { wanted: nips[0]!, reason: 'Art. 17', by: 'a letter', now: new Date() };
  let isForgotten = false;
  const forgetting = forgetPerson(database, request, tmpdir()).then(() => (isForgotten = true));
  await delay(300);
  const { notes, reporter } = listen();
  await runFixture(database, '2026-11-06', { reporter });
  expect([notes, isForgotten]).toEqual([[], false]);
  session.release(true);
  expect(await forgetting).toBe(true);
});
