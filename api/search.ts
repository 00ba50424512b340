import { sql, type Kysely } from 'kysely';
import { prepared } from '../sql/prepared.ts';
import type { Tables } from '../sql/tables.ts';
import { identifiersOf } from './identifier-list.ts';
import { findByBits, isOfBits, type Window } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import { findInTable, listInBlocks, placeWindow, takeFrom } from './search-match.ts';
import { createSearchMemory, type Matches } from './search-memory.ts';
import { newestRun } from './search-run.ts';

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

/**
 * Reads companies by their numbers, in the order of those, together with the run whose snapshot they
 * are from. The contacts are those of the company's entries, the one that the search shows first.
 */
async function readPage(db: Kysely<Tables>, numbers: number[]) {
  const { rows } = await sql<ResultRow>`${prepared}
    select
        newest.run_id, search.search_no, company.nip, company.regon9, company.krs, company.name,
        company.city, company.voivodeship, company.activity_start, company.activity_main,
        company.status,
        array(
            select json_build_object('phone', entry.phone, 'email', entry.email, 'fax', entry.fax)
            from registry.entry as entry
            where
                entry.company_id = search.company_id
                and (entry.status <> 'DELETED' or company.status = 'DELETED')
            order by
                case entry.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
                entry.start_date desc nulls last,
                entry.entry_id
        ) as contacts
    from (select ${newestRun} as run_id) as newest
    left join registry.search as search on search.search_no = any(${numbers}::integer[])
    left join registry.company as company on company.company_id = search.company_id
    order by search.search_no
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

interface Asked {
  filter: SearchFilter;
  window: Window;
}

/** The numbers of the companies in a window of what is known to match. */
async function listWindow(
  db: Kysely<Tables>,
  { filter, window }: Asked,
  matches: Matches,
): Promise<number[]> {
  if (matches.numbers) return takeFrom(matches.numbers, window);
  const place = placeWindow(matches, window);
  if (place.blocks.length === 0) return [];
  if (!isOfBits(filter)) return listInBlocks(db, filter, place);
  return (await findByBits(db, filter, place, place.blocks)).numbers;
}

/**
 * Makes the search. How many companies match a filter is remembered until the next snapshot, from
 * whichever registry; total and results of an answer are always of one snapshot.
 *
 * @returns finds the results in a window of all that match
 */
export function createSearch(
  db: Kysely<Tables>,
): (filter: SearchFilter, window: Window) => Promise<FoundPage> {
  const memory = createSearchMemory();

  // What was published in the meantime shows in the last statement.
  async function remembered(asked: Asked, matches: Matches): Promise<FoundPage | undefined> {
    const { run_id, results } = await readPage(db, await listWindow(db, asked, matches));
    return memory.isOf(run_id) ? { total: matches.total, results } : undefined;
  }

  async function count(tx: Kysely<Tables>, { filter, window }: Asked, key: string) {
    const find = isOfBits(filter) ? findByBits : findInTable;
    const { run_id, matches, numbers } = await find(tx, filter, window);
    const page = await readPage(tx, numbers);
    // A night that publishes between the statements must not part the total from the results.
    if (page.run_id !== run_id) return undefined;
    memory.keep(run_id, key, matches);
    return { total: matches.total, results: page.results };
  }

  async function counted(asked: Asked, key: string): Promise<FoundPage> {
    const found = isOfBits(asked.filter) && (await count(db, asked, key));
    if (found) return found;
    const transaction = db.transaction().setIsolationLevel('repeatable read');
    return transaction
      .setAccessMode('read only')
      .execute(async (tx) => (await count(tx, asked, key))!);
  }

  return async (filter, window) => {
    const asked = { filter, window };
    const key = JSON.stringify(filter);
    const matches = memory.find(key);
    return (matches && (await remembered(asked, matches))) ?? counted(asked, key);
  };
}
