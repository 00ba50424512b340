// Measures the times of one client's searches with random filters, without a night and while a night publishes.
import type { Pool } from 'pg';
import { Random } from '../../fixtures/generator/random.ts';
import { type Answer, askInTurn, createAsk, judgeAnswers } from './load.ts';
import { judgeAtMost, print } from './judge.ts';
import { readMemory_mb } from './memory.ts';
import { type Setting, waitUntilLoaded } from './setting.ts';

/** The number of filter combinations, each of which one search requests, for page 1 or 50. */
const combinationCount = 600;
const seed = 4;

/** The memory limits in megabytes of the API and of the search index, which is `large` above `largeCount` companies. */
const limits_mb = { api: 250, usual: 300, large: 700 };
const largeCount = 2_000_000;
const limits_ms = {
  alone: { p50: 10, p99: 50, slowest: 500 },
  atNight: { slowest: 100 },
};
/** The number of measured searches after the end of a night, while the search index loads the new snapshot. */
const searchesAfter = 200;

type Place = 'voivodeship' | 'city' | 'postal_code';
type Trait = 'status' | 'legal_form' | 'activity_start' | 'activity_codes';
type Company = Record<Place | Trait | 'name' | 'other_name', string | null>;

async function readCompanies(pool: Pool): Promise<Company[]> {
  const { rows } = await pool.query<Company>(`
    select status, voivodeship, city, postal_code, legal_form, activity_start, name,
        (select activity_codes from registry.entry where company_id = company.company_id limit 1),
        (
            select registry.shown_other_names(entry) #>> '{0,value}'
            from registry.entry
            where company_id = company.company_id
            limit 1
        ) as other_name
    from analyst.company
    order by hashint8(company_id)
    limit ${combinationCount * 2}`);
  return rows;
}

/** Returns two to five random filters that the given company matches; undefined if the company has too few values. */
function drawFilters(random: Random, company: Company): URLSearchParams | undefined {
  const { status, voivodeship, city, postal_code, legal_form, activity_start } = company;
  const code = company.activity_codes ? random.pick(company.activity_codes.split(',')) : null;
  const { name: shown, other_name } = company;
  const words = (other_name ?? shown ?? '').split(/[^\p{L}]+/u).filter((word) => word.length >= 3);
  const year = Number(activity_start?.slice(0, 4));
  const filters: Record<string, string | null> = {
    activity_code: code,
    activity_prefix: code && code.slice(0, 1 + random.below(4)),
    activity_start_from: activity_start && `${year - random.below(8)}-01-01`,
    activity_start_to: activity_start && `${year + 1 + random.below(8)}-06-30`,
    voivodeship,
    city,
    postal_code,
    postal_prefix: postal_code && postal_code.slice(0, 1 + random.below(3)).replace('-', ''),
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
  if (random.below(4) === 0) drawn.set('sort', '-activity_start');
  // Without the filter `status`, a search finds only active companies.
  if (status !== 'ACTIVE') drawn.set('status', status!);
  return drawn.size >= 2 ? drawn : undefined;
}

/** Returns the paths of searches, one for each random combination of filters; every second path has page 50. */
async function drawPaths(pool: Pool, country: string): Promise<string[]> {
  const random = new Random().start(seed, 0, 0);
  const companies = await readCompanies(pool);
  const combinations = companies.flatMap((company) => drawFilters(random, company) ?? []);
  return combinations.slice(0, combinationCount).map((filters, at) => {
    if (at % 2 === 1) filters.set('page', '50');
    return `/companies/search?country=${country}&${filters.toString()}`;
  });
}

/**
 * Compares the times of searches and the memory of the search index with their limits, also while a night publishes and
 * the search index loads its snapshot. A search waits for this load if its page contains a changed company.
 *
 * @param country the country of the loaded entries
 */
export async function benchSearch(
  { db, tokens, startApi }: Setting,
  country = 'PL',
  runNight?: () => Promise<void>,
): Promise<void> {
  const paths = await drawPaths(db.pool, country);
  const api = await startApi();
  const seconds = await waitUntilLoaded(api);
  print(`The companies were loaded after ${seconds.toFixed(1)} s`);
  // The first 200 searches, during which code is compiled, are not measured.
  const first = `/companies/search?country=${country}&status=ACTIVE&postal_code=`;
  const warming = Array.from({ length: 200 }, (_, at) => first + at);
  await askInTurn(api, warming, tokens);
  const answers = await askInTurn(api, paths, tokens);
  judgeAnswers('GET /companies/search', answers, limits_ms.alone);
  const { rowCount } = await db.pool.query(
    `select from registry.company offset ${largeCount} limit 1`,
  );
  const limit_mb = rowCount === 0 ? limits_mb.usual : limits_mb.large;
  judgeAtMost('Memory of the API', await readMemory_mb(api), limits_mb.api, 'MB');
  const index_mb = await readMemory_mb(api, 'registry_search');
  judgeAtMost('Memory of the search index', index_mb, limit_mb, 'MB');
  if (!runNight) return;
  let isOver = false;
  const night = runNight().finally(() => (isOver = true));
  const atNight: Answer[] = [];
  const ask = createAsk(api);
  for (let at = 0, after = 0; after < searchesAfter; at += 1, after += Number(isOver))
    atNight.push(await ask(tokens[at % tokens.length]!, paths[at % paths.length]!));
  await night;
  judgeAnswers('GET /companies/search while a night publishes', atNight, limits_ms.atNight);
}
