import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import type { SearchFilter } from './search-filter.ts';
import type { Matches } from './search-memory.ts';

/** As many matches are remembered one by one; of more only how many are in each block. */
const mostNumbers = 40_000;

/** Beginnings of codes that are shorter are those of many companies. */
const rarePrefixLength = 4;

/** Of those that are shorter still an index has more lists to join than a look at all companies takes. */
const indexedPrefixLength = 3;

/** Of the snapshot that a statement sees. */
export const newestRun = sql<string | null>`(
    select max(run.run_id)
    from registry.run as run
    where run.state in ('published', 'imported')
)`;

/** Whether some filter is of so few companies that they are listed rather than counted. */
function isRare({
  activity_code,
  activity_prefix,
  city,
  postal_code,
  name,
}: SearchFilter): boolean {
  const isRarePrefix = (activity_prefix?.length ?? 0) >= rarePrefixLength;
  return isRarePrefix || [activity_code, city, postal_code, name].some((one) => one !== undefined);
}

// An index finds a code at once, but joins the lists of all codes that begin alike; where another
// filter leaves few companies it is faster to look at theirs, which the function does, unlike the
// operator of the same meaning.
function meetsPrefix(filter: SearchFilter): RawBuilder<boolean> | undefined {
  const { activity_code, activity_prefix } = filter;
  if (activity_prefix === undefined || activity_code?.startsWith(activity_prefix)) return undefined;
  const codes = `'${activity_prefix}':*`;
  const isAlone = !isRare({ ...filter, activity_prefix: undefined });
  return isAlone && activity_prefix.length >= indexedPrefixLength
    ? sql`search.codes @@ ${codes}::tsquery`
    : sql`ts_match_vq(search.codes, ${codes}::tsquery)`;
}

/** The condition on `registry.search` as `search`. */
export function conditionOf(filter: SearchFilter): RawBuilder<boolean> {
  const conditions: RawBuilder<boolean>[] = [sql`search.status = ${filter.status}`];
  const add = (value: string | undefined, condition: (value: string) => RawBuilder<boolean>) => {
    if (value !== undefined) conditions.push(condition(value));
  };
  add(filter.voivodeship, (value) => sql`search.voivodeship = ${value}`);
  add(filter.legal_form, (value) => sql`search.legal_form = ${value}`);
  add(filter.postal_code, (value) => sql`search.postal_code = ${value}`);
  add(filter.city, (value) => sql`search.city = ${value}`);
  add(filter.activity_start_from, (value) => sql`search.activity_start >= ${value}::date`);
  add(filter.activity_start_to, (value) => sql`search.activity_start <= ${value}::date`);
  // Four digits and a letter.
  add(filter.activity_code, (value) => sql`search.codes @@ ${`'${value}'`}::tsquery`);
  add(filter.name?.replaceAll(/[\\%_]/g, String.raw`\$&`), (value) => {
    return sql`search.name like ${`%${value}%`}`;
  });
  const prefix = meetsPrefix(filter);
  return sql.join(prefix ? [...conditions, prefix] : conditions, sql` and `);
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

async function list(tx: Kysely<Tables>, condition: RawBuilder<boolean>): Promise<Int32Array> {
  const { rows } = await sql<{ numbers: string }>`
    select array(
        select search.search_no
        from registry.search as search
        where ${condition}
        limit ${sql.lit(mostNumbers + 1)}
    )::text as numbers
  `.execute(tx);
  return readNumbers(rows[0]!.numbers);
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

/**
 * Counts what matches a filter: the numbers themselves where they are few, else the blocks.
 *
 * @param tx whose statements all see one snapshot
 */
export async function findMatches(tx: Kysely<Tables>, filter: SearchFilter): Promise<Matches> {
  const condition = conditionOf(filter);
  await expectMemory(tx);
  if (isRare(filter)) {
    const numbers = await list(tx, condition);
    if (numbers.length <= mostNumbers) return { total: numbers.length, numbers, blocks: [] };
  }
  const blocks = await countBlocks(tx, condition);
  const total = blocks.reduce((sum, { count }) => sum + count, 0);
  if (total > mostNumbers) return { total, numbers: undefined, blocks };
  return { total, numbers: await list(tx, condition), blocks: [] };
}

/** Where a page lies: its numbers, or the blocks that it begins and ends in and what to skip there. */
export type Place =
  { numbers: number[] } | { blocks: number[]; skipped: number; count: number } | undefined;

/** @returns undefined for a page past the end */
export function placePage(
  { total, numbers, blocks }: Matches,
  skipped: number,
  size: number,
): Place {
  if (skipped >= total) return undefined;
  if (numbers) return { numbers: [...numbers.subarray(skipped, skipped + size)] };
  let before = 0;
  const inPage: number[] = [];
  let skippedInFirst = 0;
  for (const { block, count } of blocks) {
    if (before + count > skipped && before < skipped + size) {
      if (inPage.length === 0) skippedInFirst = skipped - before;
      inPage.push(block);
    }
    before += count;
  }
  return { blocks: inPage, skipped: skippedInFirst, count: Math.min(size, total - skipped) };
}
