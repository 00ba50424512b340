import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { identifiersOf } from './identifier-list.ts';
import type { SearchFilter } from './search-filter.ts';
import { conditionOf, findMatches, newestRun, placePage, type Place } from './search-match.ts';
import { createSearchMemory, type Matches } from './search-memory.ts';

/** A row of `registry.company`, and what its registry entries give to reach it. */
interface ResultRow {
  run_id: string | null;
  search_no: number | null;
  nip: string | null;
  regon9: string | null;
  krs: string | null;
  name: string | null;
  city: string | null;
  voivodeship: string | null;
  activity_start: string | null;
  activity_main: string | null;
  status: 'ACTIVE' | 'SUSPENDED' | 'DELETED';
  contacts: { phone: string | null; email: string | null; fax: string | null }[];
}

/** Numbers in a block. */
const blockBits = 13;

function numbersIn(blocks: number[]): RawBuilder<boolean> {
  const ranges = blocks.map((block) => {
    const first = block << blockBits;
    const last = first + (1 << blockBits) - 1;
    return sql<boolean>`search.search_no between ${first}::integer and ${last}::integer`;
  });
  return sql`(${sql.join(ranges, sql` or `)})`;
}

function pickPage(filter: SearchFilter, place: NonNullable<Place>): RawBuilder<unknown> {
  if ('numbers' in place) {
    return sql`
      select search.search_no, search.company_id
      from registry.search as search
      where search.search_no = any(${place.numbers}::integer[])
    `;
  }
  // The offset keeps the planner from looking for the filter in the whole country.
  return sql`
    select search.search_no, search.company_id
    from (
        select * from registry.search as search where ${numbersIn(place.blocks)} offset 0
    ) as search
    where ${conditionOf(filter)}
    order by search.search_no
    offset ${place.skipped}::integer
    limit ${place.count}::integer
  `;
}

/**
 * Reads the companies of a page, together with the run whose snapshot they are from. The contacts are
 * those of the company's entries, the one that the search shows first.
 */
async function readPage(db: Kysely<Tables>, filter: SearchFilter, place: Place) {
  const page = place
    ? pickPage(filter, place)
    : sql`select null::integer as search_no, null::bigint as company_id where false`;
  const { rows } = await sql<ResultRow>`
    with picked as materialized (${page})
    select
        newest.run_id, picked.search_no, company.nip, company.regon9, company.krs, company.name,
        company.city, company.voivodeship, company.activity_start, company.activity_main,
        company.status,
        array(
            select json_build_object('phone', entry.phone, 'email', entry.email, 'fax', entry.fax)
            from registry.entry as entry
            where
                entry.company_id = picked.company_id
                and (entry.status <> 'DELETED' or company.status = 'DELETED')
            order by
                case entry.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
                entry.start_date desc nulls last,
                entry.entry_id
        ) as contacts
    from (select ${newestRun} as run_id) as newest
    left join picked on true
    left join registry.company as company on company.company_id = picked.company_id
    order by picked.search_no
  `.execute(db);
  return {
    run_id: rows[0]!.run_id,
    results: rows.filter(({ search_no }) => search_no !== null).map(viewResult),
  };
}

const contactTypes = ['phone', 'email', 'fax'] as const;

// Spec: contacts are "present where the registry has contacts"; without any the field is left out.
// What is not known is an empty string, and null for a date.
function viewResult(row: ResultRow) {
  const contacts = new Map<string, { type: (typeof contactTypes)[number]; value: string }>();
  for (const type of contactTypes) {
    for (const { [type]: value } of row.contacts) {
      if (value !== null) contacts.set(`${type} ${value}`, { type, value });
    }
  }
  return {
    identifiers: identifiersOf([row]),
    name: row.name ?? '',
    city: row.city ?? '',
    voivodeship: row.voivodeship ?? '',
    activity_start: row.activity_start,
    activity_main: row.activity_main ?? '',
    status: row.status,
    ...(contacts.size > 0 ? { contacts: [...contacts.values()] } : {}),
  };
}

export interface FoundPage {
  total: number;
  results: ReturnType<typeof viewResult>[];
}

/**
 * Makes the search. How many companies match a filter is remembered until the next snapshot, from
 * whichever registry; total and results of an answer are always of one snapshot.
 *
 * @returns finds a page of `size` results, after `skipped` others
 */
export function createSearch(
  db: Kysely<Tables>,
): (filter: SearchFilter, skipped: number, size: number) => Promise<FoundPage> {
  const memory = createSearchMemory();

  async function remembered(
    { filter, matches }: { filter: SearchFilter; matches: Matches },
    place: Place,
  ): Promise<FoundPage | undefined> {
    const { run_id, results } = await readPage(db, filter, place);
    return memory.isOf(run_id) ? { total: matches.total, results } : undefined;
  }

  async function counted(
    { filter, key }: { filter: SearchFilter; key: string },
    skipped: number,
    size: number,
  ): Promise<FoundPage> {
    // A night that publishes between the statements must not part the total from the results.
    const transaction = db.transaction().setIsolationLevel('repeatable read');
    return transaction.setAccessMode('read only').execute(async (tx) => {
      const matches = await findMatches(tx, filter);
      const { run_id, results } = await readPage(tx, filter, placePage(matches, skipped, size));
      memory.keep(run_id, key, matches);
      return { total: matches.total, results };
    });
  }

  return async (filter, skipped, size) => {
    const key = JSON.stringify(filter);
    const matches = memory.find(key);
    const found =
      matches && (await remembered({ filter, matches }, placePage(matches, skipped, size)));
    return found ?? counted({ filter, key }, skipped, size);
  };
}
