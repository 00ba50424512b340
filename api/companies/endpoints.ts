import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { createCharging, type Charging } from '../wallet/charge.ts';
import { creditErrors } from '../wallet/ledger.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { pageMetaFields, pageSize, skippedBy, viewPageMeta } from '../http/paging.ts';
import { keep } from '../http/keep.ts';
import { companyStatus, identifier } from './identifier.ts';
import { readSearchDictionary, resolveFilter, searchQuery } from './search-filter.ts';
import { search } from './search-charge.ts';
import { snapshotEndpoint } from './snapshot.ts';

const result = z
  .strictObject({
    identifiers: z.array(identifier),
    name: z.string(),
    city: z.string(),
    voivodeship: z.string(),
    activity_start: z.iso.date().nullable(),
    activity_main: z.string(),
    status: companyStatus,
    contacts: z
      .array(z.strictObject({ type: z.enum(['phone', 'email', 'fax']), value: z.string() }))
      .optional(),
  })
  .meta({ id: 'SearchResult', description: 'A company as a search lists it.' });

const searchAnswer = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({ ...pageMetaFields, results: z.array(result) }),
});

const searchExample = {
  status: 'success',
  data: {
    total: 1,
    per_page: pageSize,
    current_page: 1,
    last_page: 1,
    results: [
      {
        identifiers: [
          { type: 'NIP', value: '1000201006' },
          { type: 'REGON9', value: '990200011' },
        ],
        name: 'Piekarnia Pod Wieżą Anna Żakowska',
        city: 'Wrocław',
        voivodeship: 'dolnośląskie',
        activity_start: '2012-03-01',
        activity_main: '1071Z',
        status: 'ACTIVE',
        contacts: [{ type: 'phone', value: '400202101' }],
      },
    ],
  },
};

function searchEndpoint(options: AppOptions, charging: Charging): Endpoint {
  const { db, searchCredits } = options;
  const readDictionary = keep(() => readSearchDictionary(db));

  return endpoint(
    {
      method: 'get',
      path: '/companies/search',
      tag: 'Companies',
      summary: 'Search companies',
      description: [
        `All filters can be combined; ${pageSize} companies a page, in an order that does not change.`,
        'City and name compare without case and accents, and a voivodeship is known by its name with or without diacritics.',
        'The activities are those of all registry entries of a company that are not deleted; every other filter compares what the answer shows.',
        'A field that the registry does not know is an empty string, `activity_start` null, and `contacts` is left out.',
        `Credits for an answer, also beyond the last page: ${searchCredits}. An answer whose \`total\` is 0 is free. \`X-Credits-Charged\` and \`X-Credits-Balance\` tell.`,
      ].join(' '),
      auth: 'token',
      query: searchQuery,
      answer: searchAnswer,
      example: searchExample,
      errors: creditErrors(searchCredits),
    },
    async ({ query: { page, ...query }, caller, request, response }) => {
      const { account_id } = caller;
      const filter = await resolveFilter(db, await readDictionary(), query);
      const paging = { page, per_page: pageSize };
      const window = { skipped: skippedBy(paging), size: pageSize };
      // The answer to HEAD is free, so that even its length must not depend on the results.
      const isHead = request.method === 'HEAD';
      const { total, results, headers } = await search(
        options,
        charging,
        filter,
        isHead ? { skipped: 0, size: 0 } : window,
        { account_id, amount: isHead ? 0 : searchCredits, description: `Search, page ${page}` },
      );
      response.set(headers);
      return {
        status: 'success',
        data: { ...viewPageMeta(paging, isHead ? 0 : total), results },
      };
    },
  );
}

/** The section Companies of the specification. */
export function companyEndpoints(options: AppOptions): Endpoint[] {
  const charging = createCharging(options);
  return [searchEndpoint(options, charging), snapshotEndpoint(options, charging)];
}
