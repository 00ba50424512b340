import { setTimeout as delay } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateDays, type GeneratedDays } from '../../fixtures/dump/generated-days.ts';
import { runDump } from '../../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { Random } from '../../fixtures/generator/random.ts';
import type { SearchFilter } from './filter.ts';
import { createSearchIndex, type SearchIndex } from './client.ts';

const size = 20;
/** A search waits so long for a snapshot that was just published. */
const patience_ms = 2_000;
const everything: SearchFilter = {
  status: 'ACTIVE',
  voivodeship: undefined,
  legal_form: undefined,
  city: undefined,
  postal_code: undefined,
  activity_code: undefined,
  activity_prefix: undefined,
  activity_start_from: undefined,
  activity_start_to: undefined,
  name: undefined,
};
const firstPageOf = (filter: SearchFilter) => ({ filter, skipped: 0, size });
const random = new Random().start(5, 0, 0);
let database: TestDatabase;
let days: GeneratedDays;
let index: SearchIndex;

beforeAll(async () => {
  database = await createTestDatabase();
  days = await generateDays(5000);
  await runDump(database, ...days.night(0));
  index = createSearchIndex([database.connection], { patience_ms });
  while (!(await index.isReady()));
});

afterAll(async () => {
  index.close();
  await days.remove();
  await database.drop();
});

interface Company {
  status: SearchFilter['status'];
  voivodeship: string | null;
  legal_form: string | null;
  city: string | null;
  postal_code: string | null;
  activity_start: string | null;
  name: string | null;
  codes: string[];
}

/** The rows of `public.shown`: each company, folded, with the codes of its entries. */
const shown = `
  select
    company.company_id, company.status, company.voivodeship, company.legal_form,
    company.activity_start, registry.fold(company.city) as city,
    replace(company.postal_code, '-', '') as postal_code, registry.fold(company.name) as name,
    array(
      select unnest(string_to_array(replace(entry.activity_codes, '.', ''), ','))
      from registry.entry
      where
        entry.company_id = company.company_id
        and (entry.status <> 'DELETED' or company.status = 'DELETED')
    ) as codes
  from registry.company
  where company.merged_into_id is null`;

function maybe<Value>(value: Value | null | undefined): Value | undefined {
  return value !== null && random.below(3) === 0 ? value : undefined;
}

/** Moves a day by some years; often to the begin or the end of a month or year. */
function nearDay(day: string, years: number): string {
  const year = Number(day.slice(0, 4)) + years;
  const own = day.slice(4).replace('02-29', '02-28');
  return `${year}${random.pick(['-01-01', '-06-30', '-12-31', '-02-01', own])}`;
}

function drawFilter(companies: Company[], at: number): SearchFilter {
  const company = random.pick(companies);
  const start = company.activity_start;
  const code = company.codes.length > 0 ? random.pick(company.codes) : null;
  const other = random.pick(companies).codes.at(-1) ?? null;
  const prefix = maybe(random.below(2) === 0 ? code : other);
  return {
    status: company.status,
    voivodeship: maybe(company.voivodeship),
    legal_form: maybe(company.legal_form),
    city: maybe(company.city),
    postal_code: at % 8 === 0 ? maybe(company.postal_code) : undefined,
    activity_code: maybe(code),
    activity_prefix: prefix?.slice(0, 1 + random.below(5)),
    activity_start_from: maybe(start && nearDay(start, -random.below(9))),
    activity_start_to: maybe(start && nearDay(start, random.below(9))),
    name: at % 4 === 0 ? company.name?.slice(2, 6) : undefined,
  };
}

/** Lists the ids of all companies that match, with plain SQL over every company. */
async function listMatches(filter: SearchFilter): Promise<number[]> {
  const { activity_start_from, activity_start_to, activity_code, activity_prefix, name } = filter;
  const conditions: RawBuilder<unknown>[] = [];
  for (const column of ['status', 'voivodeship', 'legal_form', 'city', 'postal_code'] as const) {
    if (filter[column] !== undefined) {
      conditions.push(sql`${sql.ref(column)} = ${filter[column]}`);
    }
  }
  if (activity_start_from) conditions.push(sql`activity_start >= ${activity_start_from}::date`);
  if (activity_start_to) conditions.push(sql`activity_start <= ${activity_start_to}::date`);
  if (activity_code) conditions.push(sql`${activity_code} = any(codes)`);
  if (activity_prefix) {
    conditions.push(
      sql`exists (select from unnest(codes) as code where starts_with(code, ${activity_prefix}))`,
    );
  }
  if (name) conditions.push(sql`strpos(name, ${name}) > 0`);
  const { rows } = await sql<{ company_id: string }>`
    select company_id from public.shown where ${sql.join(conditions, sql` and `)} order by company_id
  `.execute(database.kysely);
  return rows.map(({ company_id }) => Number(company_id));
}

async function readSnapshotNo(): Promise<number> {
  const { rows } = await sql<{ last_id: string }>`
    select last_id from registry.last_id where table_name = 'snapshot'
  `.execute(database.kysely);
  return Number(rows[0]!.last_id);
}

/** @returns how many companies were found */
async function compare(count: number): Promise<number> {
  const least_no = await readSnapshotNo();
  await database.pool.query(
    `drop table if exists public.shown; create table public.shown as ${shown}`,
  );
  const { rows: companies } = await database.pool.query<Company>('select * from public.shown');
  let found = 0;
  for (let at = 0; at < count; at += 1) {
    const filter = drawFilter(companies, at);
    const expected = await listMatches(filter);
    const skipped = random.below(Math.max(1, expected.length));
    const { total, company_ids } = await index.find({ filter, skipped, size }, least_no);
    expect([filter, total]).toEqual([filter, expected.length]);
    expect([filter, company_ids]).toEqual([filter, expected.slice(skipped, skipped + size)]);
    found += total;
  }
  return found;
}

/** Publishes changes as a night does. */
async function publish(...statements: string[]): Promise<void> {
  const next = `(select last_id + 1 from registry.last_id where table_name = 'snapshot')`;
  await database.pool.query(
    [
      'begin',
      ...statements.map((statement) => statement.replaceAll('next_no', next)),
      'select registry.end_publication()',
      'commit',
    ].join('; '),
  );
}

async function findPrefix(activity_prefix: string): Promise<number[]> {
  const filter = { ...everything, activity_prefix };
  return (await index.find(firstPageOf(filter), await readSnapshotNo())).company_ids;
}

describe('the index of companies', () => {
  test('finds what a look at each company finds', async () => {
    expect(await compare(300)).toBeGreaterThan(10_000);
  });

  test('finds the same after a night', async () => {
    await runDump(database, ...days.night(1));
    expect(await compare(100)).toBeGreaterThan(1000);
  });

  test('finds the same after companies were merged, came back and changed their activities', async () => {
    const { rows } = await database.pool.query<{ company_id: string }>(
      'select company_id from registry.company order by company_id limit 200',
    );
    const [first, ...others] = rows.map(({ company_id }) => company_id);
    await publish(
      `update registry.entry set company_id = ${first} where company_id in (${others.join()})`,
      `update registry.company set merged_into_id = ${first} where company_id in (${others.join()})`,
      `update registry.company set changed_snapshot_no = next_no where company_id in (${rows.map(({ company_id }) => company_id).join()})`,
      `update registry.company set activity_start = null, city = 'Nowe \\ Miasto', changed_snapshot_no = next_no where company_id % 50 = 1`,
    );
    expect(await compare(100)).toBeGreaterThan(1000);
    const filter = { ...everything, city: String.raw`nowe \ miasto` };
    expect((await index.find(firstPageOf(filter))).total).toBeGreaterThan(20);
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
    expect(await findPrefix('00')).toEqual([other, one]);
    expect(await findPrefix('001')).toEqual([one]);
    expect(await findPrefix('0011')).toEqual([]);
  });

  test('loads everything anew when a new company belongs before a known one', async () => {
    await publish(
      `insert into registry.company (company_id, changed_snapshot_no, country_code, status, city)
       values (0, next_no, 'PL', 'ACTIVE', 'Nigdzie')`,
    );
    const { total, company_ids } = await index.find(
      firstPageOf({ ...everything, city: 'nigdzie' }),
      await readSnapshotNo(),
    );
    expect([total, company_ids]).toEqual([1, [0]]);
    expect(await compare(20)).toBeGreaterThan(100);
  });

  test('503 with Retry-After while companies are loaded, and not ready until then', async () => {
    const client = await database.pool.connect();
    await client.query('begin; lock table registry.company');
    const connection = { ...database.connection, application_name: 'another' };
    const another = createSearchIndex([connection]);
    expect(await another.isReady()).toBe(false);
    await expect(another.find(firstPageOf(everything))).rejects.toMatchObject({
      status: 503,
      headers: { 'Retry-After': '2' },
    });
    await client.query('rollback');
    client.release();
    while (!(await another.isReady()));
    expect((await another.find(firstPageOf(everything))).total).toBeGreaterThan(0);
    another.close();
  });

  test('loads once the database is there, and fails until then', async () => {
    const away = createSearchIndex([{ connectionString: 'postgresql://127.0.0.1:1/none' }]);
    const asked = () => away.isReady().catch((error: { code: string }) => error.code);
    await expect.poll(asked, { timeout: 30_000 }).toBe('ECONNREFUSED');
    await expect(away.find(firstPageOf(everything))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    away.close();
  });

  test('goes on after its sessions were ended', async () => {
    for (let round = 0; round < 20; round += 1) {
      await publish('select 1');
      const finding = index.find(firstPageOf(everything), await readSnapshotNo());
      await delay(round * 15);
      await database.pool
        .query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        )
        .catch(() => undefined);
      const found = await finding;
      expect(found.total).toBeGreaterThan(0);
    }
  });
});

test('Questions of clients that are gone are not asked', async () => {
  const gone = new AbortController();
  const asked = Array.from({ length: 200 }, (_, at) => {
    const filter: SearchFilter = { ...everything, name: `nobody ${at}` };
    return index.find(firstPageOf(filter), 0, gone.signal);
  });
  const ended = Promise.allSettled(asked);
  gone.abort();
  const { total } = await index.find(firstPageOf(everything));
  expect(total).toBeGreaterThan(0);
  const answered = (await ended).filter(({ status }) => status === 'fulfilled');
  // The thread had two of them already.
  expect(answered.length).toBeLessThanOrEqual(2);
});
