import { sql, type Kysely } from 'kysely';
import { prepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import {
  describeCharge,
  type Charge,
  type ChargeHeaders,
  type Charging,
} from '../wallet/charge.ts';
import { identifiersOf } from './identifier-list.ts';
import type { Found } from './search-match.ts';
import { newestRun } from './search-run.ts';

/** A row of `registry.company`, and what one of its registry entries gives to reach it. */
interface ResultRow {
  search_no: number;
  nip: string | null;
  regon9: string | null;
  krs: string | null;
  name: string | null;
  city: string | null;
  voivodeship: string | null;
  activity_start: string | null;
  activity_main: string | null;
  status: 'ACTIVE' | 'SUSPENDED' | 'DELETED';
  phone: string | null;
  email: string | null;
  fax: string | null;
}

const contactTypes = ['phone', 'email', 'fax'] as const;

// Spec: contacts are "present where the registry has contacts"; without any the field is left out.
// What is not known is an empty string, and null for a date.
function viewResult(rows: ResultRow[]) {
  const contacts = new Map<string, { type: (typeof contactTypes)[number]; value: string }>();
  for (const type of contactTypes) {
    for (const { [type]: value } of rows) {
      if (value !== null) contacts.set(`${type} ${value}`, { type, value });
    }
  }
  const row = rows[0]!;
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

interface PageRow {
  run_id: string | null;
  rows: ResultRow[] | null;
  charged_balance: string | null;
  balance: string | null;
}

/** A page of companies, and what was charged for it. */
export interface Page {
  /** The run that has published the newest snapshot. */
  run_id: string | null;
  results: ReturnType<typeof viewResult>[];
  headers: ChargeHeaders;
}

/**
 * Reads the companies of a page, and charges for it when there are any, in one statement. Nothing is
 * read or charged when a later snapshot has been published than that in which they were found.
 *
 * The contacts are those of the company's entries, the one that the search shows first. Throws the 402
 * when the credits are short.
 */
export async function takePage(
  db: Kysely<Tables>,
  charging: Charging,
  { run_id, numbers }: Pick<Found, 'run_id' | 'numbers'>,
  charge: Charge,
): Promise<Page> {
  const { amount, account_id } = charge;
  const withCharge = amount > 0 && numbers.length > 0;
  const { rows } = await sql<PageRow>`${prepared}
    with newest as materialized (
        select ${newestRun} as run_id
    ),
    -- Of a page whose length it knew, the planner would think anew each time.
    asked as materialized (
        select ${`{${numbers.join(',')}}`}::integer[] as numbers
    ),
    page as materialized (
        select
            search.search_no, company.nip, company.regon9, company.krs, company.name,
            company.city, company.voivodeship, company.activity_start, company.activity_main,
            company.status, entry.phone, entry.email, entry.fax,
            row_number() over (
                order by
                    search.search_no,
                    case entry.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
                    entry.start_date desc nulls last,
                    entry.entry_id
            ) as place
        from newest
        join registry.search as search
            on search.search_no = any((select asked.numbers from asked)::integer[])
        join registry.company as company on company.company_id = search.company_id
        left join registry.entry as entry
            on entry.company_id = search.company_id
            and (entry.status <> 'DELETED' or company.status = 'DELETED')
        where newest.run_id is not distinct from ${run_id}::bigint
    )
    ${withCharge ? sql`, ${charging.chargeIf(sql`exists (select from page)`, charge)}` : sql``}
    select
        newest.run_id,
        (select json_agg(page order by page.place) from page) as rows,
        ${withCharge ? sql`(select balance_after from written)` : sql`null`} as charged_balance,
        (select balance from customer.wallet where account_id = ${account_id}) as balance
    from newest
  `.execute(db);
  const [row] = rows;
  const byCompany = Map.groupBy(row?.rows ?? [], ({ search_no }) => search_no);
  const results = [...byCompany.values()].map(viewResult);
  const newest = row?.run_id ?? null;
  if (!withCharge || newest !== run_id) {
    return { run_id: newest, results, headers: describeCharge(0, Number(row?.balance ?? 0)) };
  }
  const headers =
    row?.charged_balance == null
      ? // Short, as it seems: it is told so, or charged.
        await charging.charge(charge)
      : describeCharge(amount, Number(row.charged_balance));
  return { run_id: newest, results, headers };
}
