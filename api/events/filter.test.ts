// Tests the filters of event feeds, event pages and company histories.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { watchCompanies } from '../../fixtures/client/watch.ts';
import {
  createWatcher,
  type FeedEvent,
  type FeedPage,
  type FeedPart,
} from '../../fixtures/client/watcher.ts';
import { shareDays } from '../../fixtures/dump/night.ts';
import { readFeed } from '../../sql/feed.ts';
import { feedScope } from '../../sql/feed-cursor.ts';
import { resolveFeedFilter } from './filter.ts';

let now = new Date('2026-11-07T06:00:00.999Z');

const { database, api } = await useApi({ now: () => now }, async () => (await shareDays()).copy());
// The feed of the account `everything` has the events of every company, as if the account had watched them from the
// baseline on.
const everything = await createWatcher(database, api);
await watchCompanies(database, everything.account_id);
await database.pool.query(`
  insert into customer.feed (account_id, event_id, company_id, event_date, event_type)
  select ${everything.account_id}, event_id, company_id, event_date, event_type
  from registry.event;
  update customer.watch
  set events_count = (select count(*) from registry.event where event.company_id = watch.company_id)`);

const history = '/companies/events?identifier_type=NIP&identifier_value=1000202000';

// Reads all events from the tables, the newest first: the filtered answers are compared with this list.
const { rows: oracle } = await database.pool.query<FeedEvent>(`
  select
    event_id::int as id, event_type, event_date, severity, event_class, category, source,
    country_code, company_id::text as company_ref
  from registry.event
  join registry.event_type using (event_type)
  join registry.company using (company_id)
  order by event_date desc, event_id desc`);

/** The current codes of region, legal form and activities of each company, by its reference. */
const { rows: companies } = await database.pool.query<Record<string, string>>(`
  select
    company_id::text as company_ref, min(region.slug) as region, min(legal_form.slug) as form,
    string_agg(replace(activity_codes, '.', ''), ',') as codes
  from registry.company
  join registry.entry using (company_id)
  left join registry.region
    on region.code = company.voivodeship and region.country_code = 'PL'
  left join registry.legal_form
    on legal_form.symbol = company.legal_form and legal_form.country_code = 'PL'
  where entry.status <> 'DELETED' or company.status = 'DELETED'
  group by company_id`);
const companyOf = new Map(companies.map((one) => [one.company_ref!, one]));

/** Returns a function that decides whether an event matches a query, without the code of the feed. */
function selects(query: string): (event: FeedEvent) => boolean {
  const {
    from_date = '0000',
    to_date = '9999',
    ...asked
  } = Object.fromEntries(new URLSearchParams(query));
  return (event) => {
    const { region, form, codes = '' } = companyOf.get(event.company_ref) ?? {};
    const texts: Record<string, unknown> = {
      ...event,
      country: event.country_code,
      voivodeship: region,
      legal_form: form,
    };
    return (
      event.event_date >= from_date &&
      event.event_date <= to_date &&
      Object.entries(asked).every(([field, words]) => {
        const wanted = words.split(',');
        if (field === 'activity_prefix')
          return codes.split(',').some((code) => wanted.some((word) => code.startsWith(word)));
        return wanted.includes(String(texts[field]));
      })
    );
  };
}

// The filters in this list match different numbers of events, so that the tests notice if one filter is applied as
// another.
const filters = [
  'event_type=COMPANY_PHONE_CHANGED',
  'event_type=COMPANY_PHONE_CHANGED,COMPANY_STRUCK_OFF,COMPANY_REGISTERED',
  'event_type=COMPANY_STRUCK_OFF&from_date=2026-11-04&to_date=2026-11-05',
  'event_type=COMPANY_REGISTERED',
  'severity=critical,high',
  'severity=error',
  'event_class=growth&category=contacts,activities',
  'event_type=COMPANY_NAME_CHANGED&severity=info',
  'source=ceidg',
  'source=regon,krs',
  'country=PL&severity=warning',
  'country=FR',
  'voivodeship=mazowieckie',
  'voivodeship=mazowieckie,dolnoslaskie&severity=notice,warning&from_date=2026-11-05',
  'activity_prefix=47',
  'activity_prefix=47,62&source=ceidg&country=PL',
  'legal_form=spolka-cywilna',
  'legal_form=osoba-fizyczna-prowadzaca-dzialalnosc-gospodarcza&event_class=risk',
  'from_date=2026-11-05',
  'to_date=2026-11-03',
  'from_date=2026-11-04&to_date=2026-11-04',
  'from_date=2026-11-07',
  'from_date=0001-01-01&to_date=9999-12-31',
];

describe('a feed with a filter', () => {
  const { kysely } = database;

  test.each(filters)('has each event once, and ends with what is published: %s', async (query) => {
    const asked = Object.fromEntries(new URLSearchParams(query));
    const expected = oracle.filter(selects(query)).map(({ id }) => id);
    for (const scope of feedScope.options) {
      const filter = await resolveFeedFilter(kysely, { ...asked, scope });
      const request = { account_id: everything.account_id, scope, limit: 3, filter };
      const ids: number[] = [];
      let after = '0';
      for (let hasMore = true; hasMore;) {
        const found = (await readFeed(kysely, { ...request, after }))!;
        ids.push(...(JSON.parse(found.events) as FeedEvent[]).map(({ id }) => id));
        after = found.last_event_id;
        hasMore = found.has_more;
      }
      expect(ids).toEqual(expected.toSorted((one, other) => one - other));
      // France has no published event, so the cursor of its feed stays at 0.
      expect(after).toBe(asked.country === 'FR' ? '0' : String(oracle.length));
    }
  });
});

/** Returns the event numbers of all pages of the watch list's events. */
async function readPages(query: string): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/watchlist/events?${query}&per_page=50&page=${page}`;
    const { data, meta } = await everything.read<FeedPage>(path);
    ids.push(...data.map(({ id }) => id));
    if (page < meta.last_page) continue;
    expect(meta.total).toBe(ids.length);
    return ids;
  }
}

test.each(filters)('the pages have each event once, and an exact total: %s', async (query) => {
  expect(await readPages(query)).toEqual(oracle.filter(selects(query)).map(({ id }) => id));
});

describe('every feed and history', () => {
  test.each(['/events/feed?limit=5', '/watchlist/events?lang=en', history])(
    '304 while it is as the client has it, also later: %s',
    async (path) => {
      const { master_token } = await createAccount(database.kysely);
      const ask = (tag: string) =>
        api.ask(`/api/v1${path}`, {
          headers: { Authorization: `Bearer ${master_token}`, 'If-None-Match': tag },
        });
      const first = await ask('"other"');
      expect(first.status).toBe(200);
      now = new Date('2026-11-07T07:00:00Z');
      const again = await ask(first.headers.get('etag')!);
      expect([again.status, await again.text()]).toEqual([304, '']);
      now = new Date('2026-11-07T06:00:00.999Z');
    },
  );
});

/**
 * Publishes `count` events of one company. All events are changes of the name, except the events at the positions in
 * `others`, which have the types that `others` gives.
 */
async function publishMany(count: number, others: Record<number, string>) {
  await database.pool.query(
    `with company as (select company_id from registry.company where nip = '1000202000'),
     place as (select last_id from registry.last_id where table_name = 'event'),
     added as (
       insert into registry.event (
         company_id, event_id, entry_id, event_date, source, event_type, old_value, new_value
       )
       select
         company_id, last_id + no, 1, '2026-11-06', 'ceidg',
         coalesce($2::jsonb ->> no::text, 'COMPANY_NAME_CHANGED'), null, no::text
       from company, place, generate_series(1, $1::int) as no
     )
     update registry.last_id set last_id = last_id + $1 where table_name = 'event'`,
    [count, others],
  );
  await database.pool.query(
    `select registry.end_publication(last_id - $1 + 1, last_id, 'PL')
     from registry.last_id where table_name = 'event'`,
    [count],
  );
}

function part(query: Record<string, string | number>): Promise<FeedPart> {
  const text = new URLSearchParams(query as Record<string, string>);
  return everything.read<FeedPart>(`/events/feed?${text.toString()}`);
}

describe('a filter that leaves out most of a large feed', () => {
  const query = { scope: 'all', event_type: 'COMPANY_FAX_ADDED,COMPANY_FAX_REMOVED', limit: 10 };
  const told: (string | null)[] = [];
  let after: string | undefined;
  const sizes: [number, boolean][] = [];

  /** Reads parts of the feed until the last one, or at most `most` parts. */
  async function readOn(most = Infinity): Promise<void> {
    for (let count = 0; count < most; count += 1) {
      const { data, meta } = await part(after === undefined ? query : { ...query, after });
      told.push(...data.map(({ new_value }) => new_value));
      sizes.push([data.length, meta.has_more]);
      after = meta.next_cursor;
      if (!meta.has_more) return;
    }
  }

  test('gives short and empty parts that say that more follows', async () => {
    await readOn();
    told.length = sizes.length = 0;
    await publishMany(25_000, { 9_999: 'COMPANY_FAX_ADDED', 24_999: 'COMPANY_FAX_REMOVED' });
    await readOn();
    expect(sizes).toEqual([
      [1, true],
      [0, true],
      [1, false],
    ]);
    expect(told).toEqual(['9999', '24999']);
  });

  test('misses and repeats nothing of a night that comes between two parts', async () => {
    told.length = sizes.length = 0;
    await publishMany(15_000, { 10_001: 'COMPANY_FAX_ADDED' });
    await readOn(1);
    await publishMany(12_000, { 1: 'COMPANY_FAX_REMOVED', 12_000: 'COMPANY_FAX_ADDED' });
    await readOn();
    expect(told).toEqual(['10001', '1', '12000']);
    expect(sizes[0]).toEqual([0, true]);
    // A request after the newest published event returns the cursor unchanged; the next published event is read with
    // this cursor.
    const last = after;
    await readOn();
    expect(after).toBe(last);
    await publishMany(1, { 1: 'COMPANY_FAX_ADDED' });
    await readOn();
    expect(told).toEqual(['10001', '1', '12000', '1']);
  });

  test('which matches the whole country gives full parts, and a history as many as it has', async () => {
    const whole = await part({ scope: 'all', limit: 1000, country: 'pl', source: 'ceidg' });
    expect(whole.data).toHaveLength(1000);
    const { meta } = await everything.read<FeedPage>(`${history}&event_type=COMPANY_FAX_ADDED`);
    expect(meta.total).toBe(4);
  });
});
