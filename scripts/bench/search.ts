// The search with random combinations of filters, as a client meets it.
// By itself: node scripts/bench/search.ts <database with a country>
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createAccount } from '../../fixtures/client/account.ts';
import type { Database } from '../../sql/database.ts';
import { openKysely } from '../../sql/kysely.ts';
import { Random } from '../generator/random.ts';
import { atMost, benchAlone, type Measurement, withSetting } from './setting.ts';

/** Combinations; each is asked for with the first page or with page 50, and then once more. */
const combinationCount = 600;
const seed = 4;
/** Requests of one token: fewer than its limit. */
const requestsPerToken = 150;

/** Memory of the API; a country of more companies than `largeCount` is large. */
const limits_mb = { usual: 300, large: 500 };
const largeCount = 2_000_000;
const limits_ms = { counted: { p50: 10, p99: 60 }, remembered: { p50: 5, p99: 60 }, any: 500 };

interface Company {
  status: string;
  voivodeship: string | null;
  city: string | null;
  postal_code: string | null;
  legal_form: string | null;
  activity_start: string | null;
  name: string | null;
  activity_codes: string | null;
}

async function readCompanies(pool: Pool): Promise<Company[]> {
  const { rows } = await pool.query<Company>(`
    select company.status, registry.voivodeship_name(company.voivodeship) as voivodeship,
        company.city, company.postal_code, registry.legal_form_slug(company.legal_form) as legal_form,
        company.activity_start, company.name, entry.activity_codes
    from (
        select *
        from registry.company
        where company.merged_into_id is null
        order by hashint8(company.company_id)
        limit ${combinationCount * 2}
    ) as company
    cross join lateral (
        select * from registry.entry where entry.company_id = company.company_id limit 1
    ) as entry`);
  return rows;
}

/** Two to five filters that the company meets. */
function drawFilters(random: Random, company: Company): URLSearchParams | undefined {
  const { status, voivodeship, city, postal_code, legal_form, activity_start } = company;
  const code = company.activity_codes ? random.pick(company.activity_codes.split(',')) : null;
  const words = (company.name ?? '').split(/[^\p{L}]+/u).filter((word) => word.length >= 3);
  const year = Number(activity_start?.slice(0, 4));
  const filters: Record<string, string | null> = {
    activity_code: code,
    activity_prefix: code && code.slice(0, 1 + random.below(4)),
    activity_start_from: activity_start && `${year - random.below(8)}-01-01`,
    activity_start_to: activity_start && `${year + 1 + random.below(8)}-06-30`,
    voivodeship,
    city,
    postal_code,
    status,
    legal_form,
    name: words.length > 0 ? random.pick(words) : null,
  };
  const known = Object.entries(filters).filter(([, value]) => value !== null);
  const count = 2 + random.below(4);
  const drawn = new URLSearchParams();
  while (drawn.size < count && known.length > 0) {
    const [[name, value] = ['', '']] = known.splice(random.below(known.length), 1);
    drawn.set(name, value!);
  }
  // Others are of no company that is active.
  if (status !== 'ACTIVE') drawn.set('status', status);
  return drawn.size >= 2 ? drawn : undefined;
}

interface Asked {
  query: string;
  ms: number;
}

async function ask(url: string, query: string, token: string): Promise<Asked> {
  const started_ms = performance.now();
  const response = await fetch(`${url}/api/v1/companies/search?${query}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const body = await response.text();
  const ms = performance.now() - started_ms;
  if (response.status !== 200) throw new Error(`${query}: ${response.status} ${body}`);
  return { query, ms };
}

function judge(name: string, asked: Asked[], limit: { p50: number; p99: number }): Measurement {
  const sorted = asked.toSorted((one, other) => one.ms - other.ms);
  const msAt = (share: number) => sorted[Math.floor(sorted.length * share)]!.ms;
  const [p50, p99] = [msAt(0.5), msAt(0.99)];
  const slowest = sorted.at(-1)!;
  return {
    name: `GET /companies/search, ${asked.length} requests ${name}`,
    measured: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${slowest.ms.toFixed(0)} ms (${slowest.query})`,
    limit: `p50 below ${limit.p50} ms, p99 below ${limit.p99} ms, none above ${limits_ms.any} ms`,
    holds: p50 < limit.p50 && p99 < limit.p99 && slowest.ms <= limits_ms.any,
  };
}

async function measure(url: string, db: Database): Promise<Measurement[]> {
  const random = new Random().start(seed, 0, 0);
  const companies = await readCompanies(db.pool);
  const combinations = companies.flatMap((company) => drawFilters(random, company) ?? []);
  const queries = combinations.slice(0, combinationCount).map((filters, at) => {
    if (at % 2 === 1) filters.set('page', '50');
    return filters.toString();
  });
  const results = { counted: [] as Asked[], remembered: [] as Asked[] };
  const started_ms = performance.now();
  while (!(await fetch(`${url}/readyz`)).ok) await delay(100);
  process.stdout.write(
    `The companies were loaded after ${((performance.now() - started_ms) / 1000).toFixed(1)} s\n`,
  );
  // Until everything is compiled.
  let token = '';
  let count = 0;
  const next = async (query: string) => {
    if (count % requestsPerToken === 0)
      token = (await createAccount(openKysely(db.pool))).master_token;
    count += 1;
    return ask(url, query, token);
  };
  for (let at = 0; at < 200; at += 1) await next(`voivodeship=opolskie&postal_code=${at}`);
  for (const name of ['counted', 'remembered'] as const) {
    for (const query of queries) results[name].push(await next(query));
  }
  return [
    judge('with a count', results.counted, limits_ms.counted),
    judge('with a count that is remembered', results.remembered, limits_ms.remembered),
    await measureMemory(url, db),
  ];
}

async function measureMemory(url: string, db: Database): Promise<Measurement> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [, bytes] = /^process_resident_memory_bytes (\S+)/m.exec(metrics)!;
  const { rows } = await db.pool.query<{ isLarge: boolean }>(
    `select count(*) > ${largeCount} as "isLarge" from registry.company`,
  );
  const limit = rows[0]!.isLarge ? limits_mb.large : limits_mb.usual;
  return atMost('Memory of the API', Number(bytes) / 1024 ** 2, limit, 'MB');
}

/** Measures the search of the API, a process of its own, in a country that is loaded. */
export function benchSearch(databaseUrl: string): Promise<Measurement[]> {
  return withSetting(databaseUrl, async ({ db, startApi }) => measure(await startApi(), db));
}

if (import.meta.main) await benchAlone(benchSearch);
