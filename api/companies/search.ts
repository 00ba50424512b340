import type { Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import type { Charge, Charging } from '../wallet/charge.ts';
import type { SearchFilter } from './search-filter.ts';
import type { SearchIndex, Window } from './search-index.ts';
import { takePage, type Page } from './search-page.ts';

export interface FoundPage extends Page {
  total: number;
}

interface SearchOptions {
  db: Kysely<Tables>;
  searchIndex: SearchIndex;
  charging: Charging;
}

/**
 * Finds the companies that match, and reads and charges for those in the window. Total and results are
 * of one snapshot: companies are found once more when another snapshot was published meanwhile.
 *
 * Throws a 402 when the credits are short, and a 503 while the companies are loaded.
 */
export async function search(
  { db, searchIndex, charging }: SearchOptions,
  filter: SearchFilter,
  window: Window,
  charge: Charge,
): Promise<FoundPage> {
  for (let least_no = 0; ;) {
    const found = await searchIndex.find(filter, window, least_no);
    const page = await takePage(db, charging, found, charge);
    if (page.snapshot_no === found.snapshot_no) return { ...page, total: found.total };
    least_no = page.snapshot_no;
  }
}
