import { z } from 'zod';
import { answersStatus, model } from '../endpoint/answers.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Context } from '../http/context.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { workLimits } from '../figures/rate-limits.ts';
import { keep } from '../http/cached-read.ts';
import { pageMetaFields, pagingFields, skippedBy, viewPageMeta } from '../http/page-numbers.ts';
import { type Charging, creditErrors } from '../wallet/charge.ts';
import {
  companyStatus,
  identifier,
  identifiersOf,
  listValues,
  type Numbers,
} from './identifier.ts';
import { filterQuery, readSearchDictionary, resolveFilter } from '../search/filter.ts';
import type { SearchIndex } from '../search/client.ts';
import { sorts } from '../search/result-order.ts';
import type { Search } from '../search/segments.ts';
import { findByNumbers, numberFields } from './search-numbers.ts';

export type SearchOptions = Context & { searchIndex: SearchIndex };

// In ../search/, filter.ts has the filters and their defaults, result-order.ts the orders; see figures/sizes.ts too.
const searchQuery = filterQuery.safeExtend({
  ...numberFields,
  ...pagingFields,
  sort: z.enum(sorts).default('added'),
});

const contactType = z.enum(['phone', 'email', 'fax']);

const result = model('SearchResult', {
  identifiers: z.array(identifier),
  company_ref: z.string(),
  name: z.string(),
  city: z.string(),
  voivodeship: z.string(),
  activity_start: z.iso.date().nullable(),
  activity_main: z.string(),
  status: companyStatus,
  contacts: z.array(z.strictObject({ type: contactType, value: z.string() })).optional(),
});

type Result = z.output<typeof result>;

/** A company in the result of `api/search_page.sql`, with the contacts of each of its entries. */
type ResultItem = Omit<Result, 'identifiers' | 'contacts'> &
  Numbers & { entries: Record<z.output<typeof contactType>, string | null>[] };

type PageRow = { snapshot_no: number; is_changed: boolean; items: ResultItem[] };

// Spec: contacts are "present where the registry has contacts", so a company without contacts has no field `contacts`.
function viewResult({ entries, ...shown }: ResultItem): Result {
  const contacts = listValues(entries, contactType.options);
  const identifiers = identifiersOf([shown]);
  return { ...shown, identifiers, ...(contacts.length > 0 && { contacts }) };
}

/**
 * Returns the total count and one page of search results; no snapshot older than `seen_no` answers. Repeats the search
 * if the nightly job publishes a change of a found company meanwhile. Throws a 503 until the search index is loaded.
 */
async function readPage(
  { readers, searchIndex }: SearchOptions,
  search: Search,
  seen_no: number,
  isGone: () => boolean,
) {
  for (let least_no = seen_no; ;) {
    const { snapshot_no, total, company_ids } = await searchIndex.find(search, least_no, isGone);
    const [page] = await readers.read(
      (db) => runPrepared<PageRow>(db, 'api/search_page.sql', [company_ids, snapshot_no]),
      snapshot_no,
    );
    least_no = page!.snapshot_no;
    if (!page!.is_changed) return { total, results: page!.items.map(viewResult) };
  }
}

/** Returns the endpoint of the company search. `../figures/prices-and-bonus.ts` sets the price of a result page. */
export function searchEndpoint(options: SearchOptions, charge: Charging): Endpoint {
  const { readers, limiter, SEARCH_CREDITS } = options;
  const { searches } = workLimits(options);
  const readDictionary = keep(() => readSearchDictionary(readers.db));

  return endpoint(
    {
      method: 'get',
      path: '/companies/search',
      tag: 'Companies',
      summary: 'Search companies',
      auth: 'token',
      credits: SEARCH_CREDITS,
      query: searchQuery,
      ...answersStatus(z.strictObject({ ...pageMetaFields, results: z.array(result) })),
      errors: creditErrors(SEARCH_CREDITS),
    },
    async ({ query, caller, response, claim }) => {
      const { page, per_page, sort, nip, regon, krs, siren, ...filters } = query;
      const { account_id, snapshot_no } = caller;
      const company_id = await findByNumbers(readers.db, { nip, regon, krs, siren });
      const asked = { ...filters, company_id };
      const filter = await resolveFilter(readers.db, await readDictionary(), asked);
      const search = { filter, sort, skipped: skippedBy(query), size: per_page };
      const { total, results } = await limiter.inTurn(searches, account_id, () =>
        readPage(options, search, snapshot_no, () => response.closed),
      );
      const description = `Search, page ${page}`;
      response.set(await charge({ account_id, amount: SEARCH_CREDITS, description, claim }));
      return { status: 'success', data: { ...viewPageMeta(query, total), results } };
    },
  );
}
