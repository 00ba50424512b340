import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { createCharging, type Charging } from '../wallet/charge.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { lastPageOf, pageSize, skippedBy } from '../http/paging.ts';
import { keep } from '../http/keep.ts';
import { companyStatus, identifier } from './identifier.ts';
import { readSearchDictionary, resolveFilter, searchQuery } from './search-filter.ts';
import { search } from './search.ts';
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
  .meta({ id: 'SearchResult' });

const searchAnswer = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({
    total: z.int(),
    per_page: z.int(),
    current_page: z.int(),
    last_page: z.int(),
    results: z.array(result),
  }),
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

function describeSearch(credits: number): string {
  return [
    `All filters can be combined; ${pageSize} companies a page, in an order that does not change.`,
    'City and name compare without case and accents, and a voivodeship is known by its name with or without diacritics.',
    'The activities are those of all registry entries of a company that are not deleted; every other filter is of the entry that is shown.',
    'A field that the registry does not know is an empty string, `activity_start` null, and `contacts` is left out.',
    `An answer costs ${credits}, also beyond the last page; one whose \`total\` is 0 is free. \`X-Credits-Charged\` and \`X-Credits-Balance\` tell.`,
  ].join(' ');
}

function searchEndpoint(options: AppOptions, charging: Charging): Endpoint {
  const { db, searchIndex, searchCredits } = options;
  const readDictionary = keep(() => readSearchDictionary(db));

  return endpoint(
    {
      method: 'get',
      path: '/companies/search',
      tag: 'Companies',
      summary: 'Search companies',
      description: describeSearch(searchCredits),
      auth: 'token',
      query: searchQuery,
      status: 200,
      answer: searchAnswer,
      example: searchExample,
      errors: {
        402: {
          description: 'The wallet has too few credits; nothing was withdrawn.',
          example: {
            message: 'This costs 1 credit, and the wallet has 0.',
            code: 'INSUFFICIENT_CREDITS',
            required: 1,
            balance: 0,
          },
        },
      },
    },
    async ({ query: { page, ...query }, caller, request, response }) => {
      const { account_id } = caller;
      const filter = await resolveFilter(db, await readDictionary(), query);
      const window = { skipped: skippedBy({ page, per_page: pageSize }), size: pageSize };
      // To HEAD nothing is answered that would be worth a credit: not even how long the answer is.
      const isHead = request.method === 'HEAD';
      const { total, results, headers } = await search(
        { db, searchIndex, charging },
        filter,
        isHead ? { skipped: 0, size: 0 } : window,
        { account_id, amount: isHead ? 0 : searchCredits, description: `Search, page ${page}` },
      );
      response.set(headers);
      return {
        status: 'success',
        data: {
          total: isHead ? 0 : total,
          per_page: pageSize,
          current_page: page,
          last_page: isHead ? 1 : lastPageOf(total, pageSize),
          results,
        },
      };
    },
  );
}

/** The section Companies of the specification. */
export function companyEndpoints(options: AppOptions): Endpoint[] {
  const charging = createCharging(options);
  return [searchEndpoint(options, charging), snapshotEndpoint(options, charging)];
}
