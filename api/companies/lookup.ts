import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { answersStatus, model } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures/rate-limits.ts';
import { sizes } from '../figures/sizes.ts';
import { companyStatus, identifier, identifiersOf, type Numbers } from './identifier.ts';
import { columnsOf, nameOf, namingOne } from './company-of-request.ts';
import { numberCheck } from './number-check.ts';

const { lookups, lookupsOfDay } = limits;

const company = model('Lookup', {
  found: z.boolean(),
  company_ref: z.string().nullable(),
  name: z.string().nullable(),
  status: companyStatus.or(z.null()),
  identifiers: z.array(identifier),
  is_watched: z.boolean(),
});

type Found = Numbers & Omit<z.output<typeof company>, 'identifiers' | 'found' | 'is_watched'>;

/** Returns the company references among `refs` that are on the account's watch list. */
export async function findWatched(db: Db, account_id: string, refs: (string | null)[]) {
  const watches = db.selectFrom('customer.watch').where('account_id', '=', account_id);
  const asked = watches.where(sql<boolean>`company_id = any(${refs}::bigint[])`);
  const rows = await asked.select('company_id').execute();
  return new Set<string | null>(rows.map(({ company_id }) => company_id));
}

/**
 * (+) The endpoint that returns the company of each number or `company_ref` in a request, free of charge. The file
 * `identifier_type.csv` of each country lists the identifier types. `sizes.items` limits the companies in a request.
 */
export const lookupEndpoint = endpoint(
  {
    method: 'post',
    path: '/companies/lookup',
    tag: 'Companies',
    summary: 'Look up companies by numbers or references',
    description: `(+) Free of charge: name, status and numbers of up to ${sizes.items} companies, in the order of \`identifiers\`. A former number and the reference of a company that became one with another find the company of today. A company without a public name has an empty name. At most ${lookups.request_count} requests a minute and ${lookupsOfDay.request_count} a day and account, beyond that 429.`,
    auth: 'token',
    limit: lookups,
    body: z.strictObject({ identifiers: z.array(namingOne({})).min(1).max(sizes.items) }),
    check: numberCheck,
    ...answersStatus(z.array(company)),
  },
  async ({ body, caller: { account_id, snapshot_no }, options: { limiter, readers } }) => {
    await limiter.count(lookupsOfDay, account_id);
    const columns = columnsOf(body.identifiers.map(nameOf));
    // The statement returns one row for each identifier, in their order; an unknown company has no `company_ref`.
    const rows = await readers.read(
      (db) => runPrepared<Found>(db, 'api/lookup.sql', columns),
      snapshot_no,
    );
    const refs = rows.map((row) => row.company_ref);
    const watched = await readers.readCustomer((db) => findWatched(db, account_id, refs));
    const data = rows.map(({ company_ref, name, status, identifiers }) => ({
      found: company_ref !== null,
      company_ref,
      name,
      status,
      identifiers: identifiersOf([{ identifiers }]),
      is_watched: watched.has(company_ref),
    }));
    return { status: 'success', data };
  },
);
