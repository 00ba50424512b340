import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateDays } from '../../fixtures/generated-days.ts';
import { runDump } from '../../fixtures/night.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/test-database.ts';
import { Random } from '../../scripts/generator/random.ts';
import { countBits, listBits } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import { conditionOf, findInTable } from './search-match.ts';
import { createSearchMemory } from './search-memory.ts';
import { createSetReader, readNamed } from './search-read.ts';
import { findInSets, isOfSets, namesOfSets } from './search-sets.ts';

const size = 20;
let database: TestDatabase;
let companies: Company[];

interface Company {
  status: string;
  voivodeship: string | null;
  legal_form: string | null;
  city: string | null;
  activity_start: string | null;
  name: string | null;
  codes: string[];
}

beforeAll(async () => {
  database = await createTestDatabase();
  const generated = await generateDays(5000);
  await runDump(database, ...generated.night(0));
  await generated.remove();
  // More than one block of numbers, with blocks between that nobody is in.
  await database.pool.query(`
    insert into registry.search (
      company_id, search_no, block, activity_start, status, voivodeship, legal_form, postal_code,
      city, codes, name
    )
    select
      -search_no, search_no + 20000, (search_no + 20000) >> 13, activity_start - 7, status,
      voivodeship, legal_form, postal_code, city, codes, name
    from registry.search`);
  const { rows } = await database.pool.query<Company>(`
    select status, voivodeship, legal_form, city, activity_start, name,
      tsvector_to_array(codes) as codes
    from registry.search`);
  companies = rows;
});

afterAll(() => database.drop());

const random = new Random().start(5, 0, 0);

function maybe<Value>(value: Value | null | undefined): Value | undefined {
  return value !== null && random.below(3) === 0 ? value : undefined;
}

/** The day, or one that is near it or ends its month or year. */
function nearDay(day: string, years: number): string {
  const year = Number(day.slice(0, 4)) + years;
  const of = [
    '-01-01',
    '-06-30',
    '-12-31',
    '-02-01',
    '-01-31',
    day.slice(4).replace('02-29', '02-28'),
  ];
  return `${year}${random.pick(of)}`;
}

function drawFilter(withName: boolean): SearchFilter {
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
    activity_code: maybe(code),
    activity_prefix: prefix?.slice(0, 1 + random.below(5)),
    activity_start_from: maybe(start && nearDay(start, -random.below(9))),
    activity_start_to: maybe(start && nearDay(start, random.below(9))),
    postal_code: undefined,
    name: withName ? company.name?.slice(2, 6) : undefined,
  };
}

/** All numbers, by a look at each company. */
async function listMatches(filter: SearchFilter): Promise<number[]> {
  const { rows } = await sql<{ search_no: number }>`
    select search_no
    from registry.search as search
    where ${conditionOf(filter)}
    order by search_no
  `.execute(database.kysely);
  return rows.map(({ search_no }) => search_no);
}

function listFound(found: ReturnType<typeof findInSets>): number[] {
  if (found instanceof Int32Array) return [...found];
  const blocks = countBits(found);
  const numbers = listBits(
    found,
    blocks.map(({ block }) => block),
  );
  expect(numbers).toHaveLength(blocks.reduce((sum, { count }) => sum + count, 0));
  return numbers;
}

describe('findInSets', () => {
  it('finds what a look at each company finds, in all blocks or in some', async () => {
    const readSets = createSetReader(database.kysely, createSearchMemory());
    let found = 0;
    for (let at = 0; at < 400; at += 1) {
      const filter = drawFilter(at % 4 === 0);
      expect(isOfSets(filter)).toBe(true);
      const expected = await listMatches(filter);
      const { sets } = await readSets(namesOfSets(filter));
      expect([filter, listFound(findInSets(filter, sets))]).toEqual([filter, expected]);
      const first = random.below(4);
      const end = first + random.below(3);
      const inBlocks = expected.filter((no) => no >> 13 >= first && no >> 13 < end);
      expect([filter, listFound(findInSets(filter, sets, { first, end }))]).toEqual([
        filter,
        inBlocks,
      ]);
      found += expected.length;
    }
    expect(found).toBeGreaterThan(10_000);
  });

  it.each([
    ['1950-06-01', undefined],
    [undefined, '2155-01-01'],
    ['0001-01-01', '9999-12-31'],
  ])('leaves days that are far away to the table: %s to %s', (from, to) => {
    const filter = { ...drawFilter(false), activity_start_from: from, activity_start_to: to };
    expect(isOfSets(filter)).toBe(false);
  });
});

describe('readNamed', () => {
  it('finds a name among some companies', async () => {
    for (let at = 0; at < 20; at += 1) {
      const filter = drawFilter(true);
      const all = await listMatches({ ...filter, name: undefined });
      const { set } = await readNamed(database.kysely, filter.name ?? '', all);
      expect([filter, listFound(set)]).toEqual([filter, await listMatches(filter)]);
    }
  });
});

describe('findInTable', () => {
  it('finds the same, whatever is asked for', async () => {
    for (let at = 0; at < 100; at += 1) {
      const filter = drawFilter(at % 2 === 0);
      const expected = await listMatches(filter);
      const skipped = random.below(Math.max(1, expected.length));
      const { matches, numbers } = await findInTable(database.kysely, filter, { skipped, size });
      expect([filter, matches.total]).toEqual([filter, expected.length]);
      expect([filter, numbers]).toEqual([filter, expected.slice(skipped, skipped + size)]);
    }
  });
});
