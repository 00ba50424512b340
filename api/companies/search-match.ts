import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { blockBits } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import { mostNumbers, type Matches } from './search-memory.ts';
import { patternOf } from './search-read.ts';
import { newestRun } from './search-run.ts';

/** Which results are shown. */
export interface Window {
  skipped: number;
  size: number;
}

/** What was found in the snapshot that a run published: all, and the numbers in a window of it. */
export interface Found {
  run_id: string | null;
  matches: Matches;
  numbers: number[];
}

/** So many matches are read one by one; of more only how many are in each block. */
const mostListed = 200_000;

// Four digits and a letter, or what they begin with.
function queriesOf({ activity_code, activity_prefix }: SearchFilter) {
  const isImplied = activity_prefix && activity_code?.startsWith(activity_prefix);
  return {
    code: activity_code && `'${activity_code}'`,
    beginning: isImplied || !activity_prefix ? undefined : `'${activity_prefix}':*`,
  };
}

/**
 * The condition on `registry.search` as `search`.
 *
 * @param isOneText whether the text is the same for all filters, those that are not asked for included
 */
export function conditionOf(filter: SearchFilter, isOneText = false): RawBuilder<boolean> {
  const { code, beginning } = queriesOf(filter);
  const conditions: RawBuilder<boolean>[] = [sql`search.status = ${filter.status}`];
  const add = (
    value: string | undefined,
    condition: (value: string | null) => RawBuilder<boolean>,
  ) => {
    const asked = value ?? null;
    if (isOneText) conditions.push(sql`(${asked}::text is null or ${condition(asked)})`);
    else if (asked !== null) conditions.push(condition(asked));
  };
  add(filter.postal_code, (value) => sql`search.postal_code = ${value}`);
  add(filter.voivodeship, (value) => sql`search.voivodeship = ${value}`);
  add(filter.legal_form, (value) => sql`search.legal_form = ${value}`);
  add(filter.city, (value) => sql`search.city = ${value}`);
  add(filter.activity_start_from, (value) => sql`search.activity_start >= ${value}::date`);
  add(filter.activity_start_to, (value) => sql`search.activity_start <= ${value}::date`);
  add(code, (value) => sql`search.codes @@ ${value}::tsquery`);
  add(beginning, (value) => sql`search.codes @@ ${value}::tsquery`);
  add(filter.name && patternOf(filter.name), (value) => sql`search.name like ${value}`);
  return sql.join(conditions, sql` and `);
}

/** Postgres is to plan as for what is in memory, as this table soon is wherever it is searched. */
async function expectMemory(tx: Kysely<Tables>): Promise<void> {
  await sql`
    select
        set_config('random_page_cost', '0.2', true),
        set_config('seq_page_cost', '0.15', true),
        set_config('jit', 'off', true)
  `.execute(tx);
}

// An Int32Array sorts as numbers. Postgres writes an array as {1,2,3}.
function readNumbers(text: string): Int32Array {
  const numbers = text === '{}' ? [] : text.slice(1, -1).split(',');
  return Int32Array.from(numbers, Number).toSorted();
}

async function list(tx: Kysely<Tables>, condition: RawBuilder<boolean>) {
  const { rows } = await sql<{ run_id: string | null; numbers: string }>`
    select
        ${newestRun} as run_id,
        array(
            select search.search_no
            from registry.search as search
            where ${condition}
            limit ${sql.lit(mostListed + 1)}
        )::text as numbers
  `.execute(tx);
  return { run_id: rows[0]!.run_id, numbers: readNumbers(rows[0]!.numbers) };
}

// Several processes of the database may share the work.
async function countBlocks(
  tx: Kysely<Tables>,
  condition: RawBuilder<boolean>,
): Promise<Matches['blocks']> {
  const { rows } = await sql<Matches['blocks'][number]>`
    select search.block, count(*)::integer as count
    from registry.search as search
    where ${condition}
    group by search.block
    order by search.block
  `.execute(tx);
  return rows;
}

function countNumbers(numbers: Int32Array): Matches['blocks'] {
  const blocks: Matches['blocks'] = [];
  for (const number of numbers) {
    const block = number >> blockBits;
    const last = blocks.at(-1);
    if (last?.block === block) last.count += 1;
    else blocks.push({ block, count: 1 });
  }
  return blocks;
}

/** What is known of matches by their numbers, ascending. */
export function matchesOf(numbers: Int32Array): Matches {
  const { length: total } = numbers;
  return total <= mostNumbers
    ? { total, numbers, blocks: [] }
    : { total, numbers: undefined, blocks: countNumbers(numbers) };
}

/**
 * Counts what matches a filter, and finds the numbers of the companies in a window, by a look at the
 * companies: what no set knows.
 */
export async function findInTable(
  db: Kysely<Tables>,
  filter: SearchFilter,
  window: Window,
): Promise<Found> {
  const transaction = db.transaction().setIsolationLevel('repeatable read');
  return transaction.setAccessMode('read only').execute(async (tx) => {
    await expectMemory(tx);
    const condition = conditionOf(filter);
    const { run_id, numbers } = await list(tx, condition);
    if (numbers.length <= mostListed) {
      return { run_id, matches: matchesOf(numbers), numbers: takeFrom(numbers, window) };
    }
    const blocks = await countBlocks(tx, condition);
    const total = blocks.reduce((sum, { count }) => sum + count, 0);
    const matches = { total, numbers: undefined, blocks };
    const place = placeWindow(matches, window);
    return { run_id, matches, numbers: await listInBlocks(tx, filter, place) };
  });
}

export function takeFrom(numbers: Int32Array, { skipped, size }: Window): number[] {
  return [...numbers.subarray(skipped, skipped + size)];
}

/** The blocks that a window begins and ends in, and where it is in them. */
export interface Place extends Window {
  blocks: number[];
}

/** @returns without blocks for a window past the end */
export function placeWindow({ blocks }: Matches, { skipped, size }: Window): Place {
  let before = 0;
  const inWindow: number[] = [];
  let skippedInFirst = 0;
  for (const { block, count } of blocks) {
    if (before + count > skipped && before < skipped + size) {
      if (inWindow.length === 0) skippedInFirst = skipped - before;
      inWindow.push(block);
    }
    before += count;
  }
  return { blocks: inWindow, skipped: skippedInFirst, size };
}

/** The numbers of the companies of a place, by a look at all companies of its blocks. */
export async function listInBlocks(
  db: Kysely<Tables>,
  filter: SearchFilter,
  { blocks, skipped, size }: Place,
): Promise<number[]> {
  if (blocks.length === 0) return [];
  const ranges = blocks.map((block) => {
    const [first, next] = [block << blockBits, (block + 1) << blockBits];
    return sql<boolean>`
      search.search_no >= ${first}::integer and search.search_no < ${next}::integer
    `;
  });
  // The offset keeps the planner from looking for the filter in the whole country.
  const { rows } = await sql<{ search_no: number }>`
    select search.search_no
    from (
        select * from registry.search as search where ${sql.join(ranges, sql` or `)} offset 0
    ) as search
    where ${conditionOf(filter)}
    order by search.search_no
    offset ${skipped}::integer
    limit ${size}::integer
  `.execute(db);
  return rows.map(({ search_no }) => search_no);
}
