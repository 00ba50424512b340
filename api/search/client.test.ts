import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { isMatch, type Searched } from '../../fixtures/client/searched.ts';
import { generateDays } from '../../fixtures/dump/generated-days.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { hold } from '../../fixtures/database/locks.ts';
import { createTestDatabase } from '../../fixtures/database/test-database.ts';
import { Random } from '../../fixtures/generator/random.ts';
import { createSearchIndex } from './client.ts';
import type { SearchFilter } from './filter.ts';

const size = 20;
/** The time in milliseconds for which a search waits until the index has a newly published snapshot. */
const patience_ms = 2_000;
const random = new Random().start(5, 0, 0);

const database = await createTestDatabase();
const days = await generateDays(5000);
const connection = { ...database.connection, application_name: 'index' };
const index = createSearchIndex([connection], { patience_ms });

afterAll(() => index.close());

/** Selects the searchable values of each company: folded texts, and the activity codes of its entries. */
const companiesSql = `
  select
    company.company_id::float8 as id, company.country_code as country, company.status,
    company.voivodeship, company.legal_form, registry.fold(company.city) as city,
    replace(company.postal_code, '-', '') as postal_code, company.activity_start,
    registry.fold(company.name) as name,
    array(
      select registry.fold(value ->> 'value')
      from registry.entry
      cross join jsonb_array_elements(registry.shown_other_names(entry)) as other (value)
      where
        entry.company_id = company.company_id
        and (entry.status <> 'DELETED' or company.status = 'DELETED')
    ) as other_names,
    null as workforce,
    array(
      select unnest(string_to_array(replace(entry.activity_codes, '.', ''), ','))
      from registry.entry
      where
        entry.company_id = company.company_id
        and (entry.status <> 'DELETED' or company.status = 'DELETED')
    ) as codes
  from registry.company
  where company.merged_into_id is null
  order by company.company_id`;

function maybe<Value>(value: Value | null | undefined): Value | undefined {
  return value !== null && random.below(3) === 0 ? value : undefined;
}

/** Draws a filter that combines values of two companies, so that most companies match only a part of the filter. */
function drawFilter(companies: Searched[], at: number): SearchFilter {
  const [company, other] = [random.pick(companies), random.pick(companies)];
  const code = company.codes.at(-1) ?? null;
  const prefix = maybe(random.below(2) === 0 ? code : other.codes.at(-1));
  const starts = [company, other]
    .flatMap(({ activity_start }) => activity_start ?? [])
    .toSorted((one, next) => (one < next ? -1 : 1));
  return {
    status: company.status as SearchFilter['status'],
    voivodeship: maybe(company.voivodeship),
    legal_form: maybe(company.legal_form),
    city: maybe(company.city),
    postal_code: at % 8 === 0 ? maybe(company.postal_code) : undefined,
    activity_code: maybe(code),
    activity_prefix: prefix?.slice(0, 1 + random.below(5)),
    activity_start_from: maybe(starts[0]),
    activity_start_to: maybe(starts[1]),
    name: at % 4 === 0 ? company.name?.slice(2, 6) : undefined,
  };
}

/** Finds active companies in the newest snapshot. */
async function find(filter: Partial<SearchFilter> = {}, one = index, skipped = 0) {
  const { rows } = await database.pool.query<{ last_id: string }>(
    `select last_id from registry.last_id where table_name = 'snapshot'`,
  );
  const search = { filter: { status: 'ACTIVE' as const, ...filter }, skipped, size };
  const { total, company_ids } = await one.find(search, Number(rows[0]!.last_id));
  return { total, company_ids };
}

/**
 * Compares the results of `count` searches with a scan of all companies.
 * @returns how many companies were found
 */
async function compare(count: number): Promise<number> {
  const { rows: companies } = await database.pool.query<Searched>(companiesSql);
  let found = 0;
  for (let at = 0; at < count; at += 1) {
    const filter = drawFilter(companies, at);
    const expected = companies.filter((one) => isMatch(one, filter)).map(({ id }) => id);
    const skipped = random.below(Math.max(1, expected.length));
    expect([filter, await find(filter, index, skipped)]).toEqual([
      filter,
      { total: expected.length, company_ids: expected.slice(skipped, skipped + size) },
    ]);
    found += expected.length;
  }
  return found;
}

/** Runs statements and ends the publication in one transaction, as a nightly job does. */
async function publish(...statements: string[]): Promise<void> {
  const next = `(select last_id + 1 from registry.last_id where table_name = 'snapshot')`;
  const all = ['begin', ...statements, 'select registry.end_publication()', 'commit'];
  await database.pool.query(all.join('; ').replaceAll('next_no', next));
}

test('finds what a look at each company finds: nothing before the first night, then all, then after a night', async () => {
  while (!(await index.isReady()));
  expect(await find()).toEqual({ total: 0, company_ids: [] });
  await runDump(database, ...days.night(0));
  expect(await compare(300)).toBeGreaterThan(10_000);
  await runDump(database, ...days.night(1));
  expect(await compare(100)).toBeGreaterThan(1000);
});

test('finds the same after companies were merged, came back, changed their activities and came before all', async () => {
  const { rows } = await database.pool.query<{ company_id: string }>(
    'select company_id from registry.company order by company_id limit 200',
  );
  const [first, ...others] = rows.map(({ company_id }) => company_id);
  await publish(
    `update registry.entry set company_id = ${first} where company_id in (${others.join()})`,
    `update registry.company set merged_into_id = ${first} where company_id in (${others.join()})`,
    `update registry.company set changed_snapshot_no = next_no where company_id in (${first}, ${others.join()})`,
    `update registry.company set activity_start = null, city = 'Nowe \\ Miasto', changed_snapshot_no = next_no where company_id % 50 = 1`,
    `insert into registry.company (company_id, changed_snapshot_no, country_code, status, city)
     values (0, next_no, 'PL', 'ACTIVE', 'Nigdzie')`,
  );
  expect(await compare(100)).toBeGreaterThan(1000);
  expect((await find({ city: String.raw`nowe \ miasto` })).total).toBeGreaterThan(20);
  expect(await find({ city: 'nigdzie' })).toEqual({ total: 1, company_ids: [0] });
});

test('finds partial codes by their beginning, with and without a dot', async () => {
  const { rows } = await database.pool.query<{ company_id: string }>(
    `select company_id from registry.company
     where status = 'ACTIVE' and merged_into_id is null order by company_id desc limit 2`,
  );
  const [one, other] = rows.map(({ company_id }) => Number(company_id)) as [number, number];
  await publish(
    `update registry.entry set activity_codes = '00.1,99' where company_id = ${one}`,
    `update registry.entry set activity_codes = '00' where company_id = ${other}`,
    `update registry.company set changed_snapshot_no = next_no where company_id in (${one}, ${other})`,
  );
  expect((await find({ activity_prefix: '00' })).company_ids).toEqual([other, one]);
  expect((await find({ activity_prefix: '001' })).company_ids).toEqual([one]);
  expect((await find({ activity_prefix: '0011' })).company_ids).toEqual([]);
});

test('finds a company by the other names and the workforce of its entries, not by withheld names', async () => {
  const { rows } = await database.pool.query<{ company_id: string }>(
    `select company_id from registry.company
     where status = 'ACTIVE' and merged_into_id is null order by company_id desc limit 2`,
  );
  const [one, other] = rows.map(({ company_id }) => Number(company_id)) as [number, number];
  const names = `'[{"type": "sign", "value": "Zażółć Gęślą"}, {"type": "acronym", "value": "ŹŹQ"}]'`;
  const change = `update registry.company set changed_snapshot_no = next_no where company_id in (${one}, ${other})`;
  await publish(
    `insert into registry.attribute_type (attribute_type, rank, label, label_en, country_code)
     values ('workforce_band', 1, 'Band', 'Band', 'PL')`,
    `insert into registry.attribute_value (attribute_type, code, label, least_employees, country_code)
     values ('workforce_band', '12', '20 to 49', 20, 'PL')`,
    `update registry.entry set other_names = ${names},
       attributes = '{"employer": "O", "workforce_band": "12 2023"}'
     where company_id in (${one}, ${other})`,
    change,
  );
  for (const name of ['zazolc gesla', 'olc ges', 'zzq'])
    expect([name, (await find({ name })).company_ids]).toEqual([name, [other, one]]);
  expect((await find({ name: 'gesla zzq' })).total).toBe(0);
  expect((await find({ workforce_min: 20 })).company_ids).toEqual([other, one]);
  expect((await find({ workforce_min: 21 })).total).toBe(0);
  await publish(
    `update registry.entry set is_partial = true, other_names = null, first_name = 'Zażółć'
     where company_id = ${one}`,
    `update registry.company set name = null where company_id = ${one}`,
    change,
  );
  expect((await find({ name: 'zazolc' })).company_ids).toEqual([other]);
});

test('503 with Retry-After while companies are loaded, and not ready until then', async () => {
  const release = await hold(database.pool, 'lock table registry.company');
  const another = createSearchIndex([{ ...database.connection, application_name: 'another' }]);
  expect(await another.isReady()).toBe(false);
  await expect(find({}, another)).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '2' },
  });
  await release();
  while (!(await another.isReady()));
  expect((await find({}, another)).total).toBeGreaterThan(0);
  another.close();
});

test('fails until the database is there', async () => {
  const away = createSearchIndex([{ connectionString: 'postgresql://127.0.0.1:1/none' }]);
  const asked = () => away.isReady().catch((error: { code: string }) => error.code);
  await expect.poll(asked).toBe('ECONNREFUSED');
  await expect(find({}, away)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  away.close();
});

test('goes on after its sessions were ended, at whatever moment of a load', async () => {
  let ended = 0;
  for (let round = 0; round < 20; round += 1) {
    await publish('select 1');
    const finding = find();
    await delay(round * 15);
    const { rowCount } = await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'index'`,
    );
    ended += rowCount!;
    expect((await finding).total).toBeGreaterThan(0);
  }
  expect(ended).toBeGreaterThan(0);
});

test('questions of clients that are gone are not asked', async () => {
  let isGone = false;
  const asked = Array.from({ length: 200 }, (_, at) => {
    const filter = { status: 'ACTIVE' as const, name: `nobody ${at}` };
    return index.find({ filter, skipped: 0, size }, 0, () => isGone);
  });
  const ended = Promise.allSettled(asked);
  isGone = true;
  expect((await find()).total).toBeGreaterThan(0);
  const answered = (await ended).filter(({ status }) => status === 'fulfilled');
  // At most two requests are answered: these were already sent to the index when their clients disconnected.
  expect(answered.length).toBeLessThanOrEqual(2);
});
