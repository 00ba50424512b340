import type { AppOptions } from '../app.ts';
import { runPrepared } from '../../sql/prepared.ts';
import { describeCharge, type Charge, type Charging } from '../wallet/charge.ts';
import { creditsShort } from '../wallet/ledger.ts';
import { identifiersOf, type Numbers } from './identifier.ts';
import type { SearchFilter } from './search-filter.ts';
import type { Window } from './search-index.ts';

const contactTypes = ['phone', 'email', 'fax'] as const;

/** A row of `registry.company`, with the contacts of one of its entries. */
interface ResultRow extends Numbers, Record<(typeof contactTypes)[number], string | null> {
  company_id: number;
  name: string;
  city: string;
  voivodeship: string;
  activity_start: string | null;
  activity_main: string;
  status: 'ACTIVE' | 'SUSPENDED' | 'DELETED';
}

// Spec: contacts are "present where the registry has contacts"; without any the field is left out.
function viewResult(rows: ResultRow[]) {
  const { name, city, voivodeship, activity_start, activity_main, status } = rows[0]!;
  const identifiers = identifiersOf(rows);
  const shown = { identifiers, name, city, voivodeship, activity_start, activity_main, status };
  const contacts = contactTypes.flatMap((type) => {
    const values = new Set(rows.map((row) => row[type]).filter((value) => value !== null));
    return [...values].map((value) => ({ type, value }));
  });
  return contacts.length > 0 ? { ...shown, contacts } : shown;
}

interface PageRow {
  snapshot_no: string;
  rows: ResultRow[] | null;
  balance: string | null;
}

/**
 * Finds the companies that match, reads those in the window, and charges for the page unless the total
 * is 0. Total and results are of one snapshot. When a night publishes in between, the search starts
 * again before it charges.
 * Throws a 402 when the credits are short, even for a total of 0, and a 503 until the companies are loaded.
 */
export async function search(
  { db, searchIndex }: Pick<AppOptions, 'db' | 'searchIndex'>,
  charging: Charging,
  filter: SearchFilter,
  window: Window,
  charge: Charge,
) {
  for (let least_no = 0; ;) {
    const { snapshot_no, total, company_ids } = await searchIndex.find(filter, window, least_no);
    const values = [company_ids, snapshot_no, charge.account_id];
    const [row] = await runPrepared<PageRow>(db, 'api/search_page.sql', values);
    least_no = Number(row!.snapshot_no);
    if (least_no !== snapshot_no) continue;
    const balance = Number(row!.balance ?? 0);
    // A free total of 0 would be information too: many such searches could reveal a date.
    if (balance < charge.amount) throw creditsShort(charge.amount, balance);
    const byCompany = Map.groupBy(row!.rows ?? [], ({ company_id }) => company_id);
    const isCharged = charge.amount > 0 && total > 0;
    const headers = isCharged ? await charging.charge(charge) : describeCharge(0, balance);
    return { total, results: [...byCompany.values()].map(viewResult), headers };
  }
}
