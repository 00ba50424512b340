import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { isKnownDay, startedIn } from './search-day.ts';
import type { SearchFilter } from './search-filter.ts';
import { newestRun } from './search-run.ts';
import { mostNumbers, type Matches } from './search-memory.ts';

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
  /** Places, of all that match; or the bits of a block in which the window lies. */
  places: string | null;
  bits: string | null;
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
    lists.push(sql`
      select block, array_agg(distinct place) as places
      from registry.search_places
      cross join unnest(places) as place
      where code >= ${activity_prefix} and code < ${`${activity_prefix}~`} ${inBlocks}
      group by block
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
  if (rare) {
    const rares = [rare, ...others];
    const inOthers = others.map(({ name }) => sql`intersect select unnest(${name}.places)`);
    return sql<FoundBlock>`
      with met as materialized (${met})
      select newest.run_id, found.block, cardinality(found.places) as count,
          found.places::text as places, null as bits
      from (select ${newestRun} as run_id) as newest
      left join (
          select block, array(
              select place
              from unnest(${rare.name}.places) as place
              where get_bit(met.bits, place) = 1
              ${sql.join(inOthers, sql` `)}
          ) as places
          from met
          ${sql.join(
            rares.map(({ joined }) => joined),
            sql` `,
          )}
      ) as found on cardinality(found.places) > 0
      order by found.block
    `;
  }
  return sql<FoundBlock>`
    with met as materialized (${met})
    select newest.run_id, found.block, found.count, null as places,
        case
            when running > ${skipped}::bigint and running - count < ${skipped + size}::bigint
            then bits
        end as bits
    from (select ${newestRun} as run_id) as newest
    left join (
        select *, sum(count) over (order by block) as running
        from (select block, bit_count(bits)::integer as count, bits from met) as counted
        where count > 0
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
function readPlaces(places: string): Uint16Array {
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
  const all: number[] = [];
  const counted: Matches['blocks'] = [];
  let [total, before] = [0, 0];
  for (const { block, count, places, bits } of rows) {
    if (block === null) continue;
    const inBlock = places === null ? bits && readBits(bits) : readPlaces(places);
    if (!inBlock) before += all.length === 0 ? count : 0;
    else for (const place of inBlock) all.push((block << blockBits) + place);
    counted.push({ block, count });
    total += count;
  }
  const first = window.skipped - before;
  const isListed = isOfPlaces(filter) && total <= mostNumbers;
  return {
    run_id: rows[0]!.run_id,
    matches: isListed
      ? { total, numbers: Int32Array.from(all), blocks: [] }
      : { total, numbers: undefined, blocks: counted },
    numbers: all.slice(first, first + window.size),
  };
}
