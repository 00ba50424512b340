import type { Kysely } from 'kysely';
import { runPrepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import {
  describeCharge,
  type Charge,
  type ChargeHeaders,
  type Charging,
} from '../wallet/charge.ts';
import { identifiersOf } from './identifier-list.ts';
import type { Found } from './search-index.ts';

/** A row of `registry.company`, and what one of its registry entries gives to reach it. */
interface ResultRow {
  company_id: number;
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
  snapshot_no: string;
  rows: ResultRow[] | null;
  balance: string | null;
}

/** A page of companies, and what was charged for it. */
export interface Page {
  /** The newest snapshot. */
  snapshot_no: number;
  results: ReturnType<typeof viewResult>[];
  headers: ChargeHeaders;
}

/**
 * Reads the companies of a page, and charges for it unless nothing was found at all: a total is worth a
 * credit too, on whichever page. Nothing is read or charged when the newest snapshot is another one than
 * that in which they were found.
 *
 * The contacts are those of the company's entries, the one that the search shows first. Throws the 402
 * when the credits are short.
 */
export async function takePage(
  db: Kysely<Tables>,
  charging: Charging,
  { snapshot_no, total, company_ids }: Found,
  charge: Charge,
): Promise<Page> {
  const { amount, account_id } = charge;
  const [row] = await runPrepared<PageRow>(db, 'api/search_page.sql', [
    company_ids,
    snapshot_no,
    account_id,
  ]);
  const byCompany = Map.groupBy(row!.rows ?? [], ({ company_id }) => company_id);
  const results = [...byCompany.values()].map(viewResult);
  const newest_no = Number(row!.snapshot_no);
  const isCharged = amount > 0 && total > 0 && newest_no === snapshot_no;
  const headers = isCharged
    ? await charging.charge(charge)
    : describeCharge(0, Number(row!.balance ?? 0));
  return { snapshot_no: newest_no, results, headers };
}
