import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { isKnownDay, startedIn } from './search-day.ts';
import type { SearchFilter } from './search-filter.ts';
import { newestRun } from './search-run.ts';
import type { Matches } from './search-memory.ts';

/** Numbers in a block, as a power of two. */
export const blockBits = 13;

/** The longest beginnings of activities that have bits. */
const longestBeginning = 3;

/** Which results are shown. */
export interface Window {
  skipped: number;
  size: number;
}

interface FoundBlock {
  run_id: string | null;
  block: number | null;
  count: number;
  /** Of a block in which the window lies: the places, or the bits, of all that match. */
  places: string | null;
}

/** What was found in the snapshot that a run published: all, and the numbers in a window of it. */
export interface Found {
  run_id: string | null;
  matches: Matches;
  numbers: number[];
}

/** Whether bits know all that a filter asks for: neither names, nor days that count as other ones. */
export function isOfBits(filter: SearchFilter): boolean {
  const { name, postal_code, activity_start_from: from, activity_start_to: to } = filter;
  if (name !== undefined || postal_code !== undefined) return false;
  return [from, to].every((day) => day === undefined || isKnownDay(day));
}

/** Whether a filter asks for what few companies have, which their places tell. */
export function isOfPlaces(filter: SearchFilter): boolean {
  return listRare(filter, sql``).length > 0;
}

function termsOf(filter: SearchFilter): string[] {
  const { status, voivodeship, legal_form, activity_code, activity_prefix } = filter;
  const terms = [`status ${status}`];
  if (voivodeship !== undefined) terms.push(`voivodeship ${voivodeship}`);
  if (legal_form !== undefined) terms.push(`legal_form ${legal_form}`);
  const isImplied = activity_prefix === undefined || activity_code?.startsWith(activity_prefix);
  if (!isImplied && activity_prefix.length <= longestBeginning) {
    terms.push(`activity ${activity_prefix}`);
  }
  return terms;
}

/** Places of companies, a list a block, that fewer companies have: all of these are to be met. */
function listRare(filter: SearchFilter, inBlocks: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { activity_code, activity_prefix, city } = filter;
  const lists: RawBuilder<unknown>[] = [];
  if (activity_code !== undefined) {
    lists.push(sql`
      select block, places
      from registry.search_places
      where code = ${activity_code} ${inBlocks}
    `);
  }
  const isImplied = activity_prefix === undefined || activity_code?.startsWith(activity_prefix);
  if (!isImplied && activity_prefix.length > longestBeginning) {
    const begun = sql`code >= ${activity_prefix} and code < ${`${activity_prefix}~`} ${inBlocks}`;
    lists.push(sql`
      select block, array(
          select distinct unnest(other.places)
          from registry.search_places as other
          where other.block = begun.block and ${begun}
      ) as places
      from (select distinct block from registry.search_places where ${begun}) as begun
    `);
  }
  if (city !== undefined) {
    lists.push(sql`
      select block, array_agg(place) as places
      from (
          select
              (search.search_no >> ${sql.lit(blockBits)})::smallint as block,
              (search.search_no & ${sql.lit((1 << blockBits) - 1)})::smallint as place
          from registry.search as search
          where search.city = ${city}
      ) as listed
      where true ${inBlocks}
      group by block
    `);
  }
  return lists;
}

function findBlocks(
  filter: SearchFilter,
  { skipped, size }: Window,
  blocks: number[] | undefined,
): RawBuilder<FoundBlock> {
  const inBlocks = blocks ? sql`and block = any(${blocks}::smallint[])` : sql``;
  const terms = termsOf(filter);
  const started = startedIn(filter, inBlocks);
  const bits = sql`
    select block, bit_and(bits) as bits
    from registry.search_bits
    where term = any(${terms}::text[]) ${inBlocks}
    group by block
    having count(*) = ${terms.length}
  `;
  const met = started
    ? sql`
        select block, term.bits & started.bits as bits
        from (${bits}) as term
        join (${started}) as started using (block)
      `
    : bits;
  const [rare, ...others] = listRare(filter, inBlocks).map((list, at) => {
    const name = sql.ref(`rare_${at}`);
    return { name, joined: sql`join (${list}) as ${name} using (block)` };
  });
  // What is counted, and what the window shows of a block.
  let counted = sql`select block, bits, bit_count(bits)::integer as count from met`;
  let shown = sql`found.bits::text`;
  if (rare) {
    const joined = [rare, ...others].map((one) => one.joined);
    const inOthers = others.map(({ name }) => sql`intersect select unnest(${name}.places)`);
    const places =
      others.length === 0
        ? sql`${rare.name}.places`
        : sql`array(select unnest(${rare.name}.places) ${sql.join(inOthers, sql` `)})`;
    counted = sql`
      select block, bits, places, (
          select count(*)::integer from unnest(places) as place where get_bit(bits, place) = 1
      ) as count
      from (
          select block, met.bits, ${places} as places from met ${sql.join(joined, sql` `)} offset 0
      ) as listed
    `;
    shown = sql`
      array(select place from unnest(found.places) as place where get_bit(found.bits, place) = 1)::text
    `;
  }
  return sql<FoundBlock>`
    with met as materialized (${met}),
    counted as materialized (${counted})
    select newest.run_id, found.block, found.count,
        case
            when found.running > ${skipped}::bigint
                and found.running - found.count < ${skipped + size}::bigint
            then ${shown}
        end as places
    from (select ${newestRun} as run_id) as newest
    left join (
        select *, sum(count) over (order by block) as running from counted where count > 0
    ) as found on true
    order by found.block
  `;
}

function readBits(bits: string): number[] {
  const places: number[] = [];
  for (let at = bits.indexOf('1'); at >= 0; at = bits.indexOf('1', at + 1)) places.push(at);
  return places;
}

// Postgres writes an array as {1,2,3}; a typed one sorts as numbers.
function readPlaces(places: string): Iterable<number> {
  if (!places.startsWith('{')) return readBits(places);
  return Uint16Array.from(places.slice(1, -1).split(','), Number).toSorted();
}

/**
 * Counts what matches a filter that bits know, and finds the numbers of the companies in a window.
 *
 * @param blocks where the window is known to lie; with them, it begins in the first one, and what is
 * counted is what they have
 */
export async function findByBits(
  db: Kysely<Tables>,
  filter: SearchFilter,
  window: Window,
  blocks?: number[],
): Promise<Found> {
  const { rows } = await findBlocks(filter, window, blocks).execute(db);
  const numbers: number[] = [];
  const counted: Matches['blocks'] = [];
  let [total, before] = [0, 0];
  for (const { block, count, places } of rows) {
    if (block === null) continue;
    counted.push({ block, count });
    total += count;
    if (places !== null) {
      for (const place of readPlaces(places)) numbers.push((block << blockBits) + place);
    } else if (numbers.length === 0) before += count;
  }
  const first = window.skipped - before;
  return {
    run_id: rows[0]!.run_id,
    matches: { total, numbers: undefined, blocks: counted },
    numbers: numbers.slice(first, first + window.size),
  };
}
