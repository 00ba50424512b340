import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { numberFields } from '../events/event-fields.ts';
import type { CompanyName } from '../companies/company-of-request.ts';
import { text } from '../endpoint/answers.ts';
import { type Paging, rowCount, skippedBy } from '../http/page-numbers.ts';

// This file has the code that several endpoints of the watch list use; list.ts has the endpoint that lists companies.

export const common = { tag: 'Company monitor', auth: 'token' } as const;

/** The fields that identify a watched company in answers. */
export const watchedFields = {
  ...numberFields,
  submitted_identifier: text,
  company_ref: text.nullable(),
  name: text,
  reference: text.nullable(),
};

export const watchStates = ['queued', 'ready', 'failed'] as const;

/** Returns the SQL condition that a watch is for a company or, if the company is unknown, for its number. */
export function isWatchOf([type, value]: CompanyName) {
  return sql<boolean>`(
    company_id = (select registry.find_company(${type}, ${value}))
    or company_id is null and identifier_type = ${type} and identifier_value = ${value}
  )`;
}

/**
 * Returns the count of selected watches in an account's watch list, and the query for one page of these watches. Spec:
 * silent on the order of watched companies; we list the company that was added last first.
 */
export async function selectPage(
  db: Db,
  account_id: string,
  paging: Paging,
  isAsked: RawBuilder<boolean>,
) {
  const watches = db
    .selectFrom('customer.watch as watch')
    .where('account_id', '=', account_id)
    .where(isAsked);
  const { total } = await watches.select(rowCount).executeTakeFirstOrThrow();
  // `listed` skips the earlier pages by an index-only scan, so that late pages are fast too.
  const listed = watches
    .select('watch_id')
    .orderBy('watch_id', 'desc')
    .limit(paging.per_page)
    .offset(skippedBy(paging));
  const page = db
    .selectFrom('customer.watch as watch')
    .leftJoin('registry.company as company', 'company.company_id', 'watch.company_id')
    .select([
      sql<string | null>`
        coalesce(
            registry.primary_identifier(company),
            case when watch.identifier_type is not null then watch.identifier_value end
        )
      `.as('primary_identifier'),
      sql<string | null>`
        coalesce(registry.identifier_type(company), watch.identifier_type)
      `.as('identifier_type'),
      'watch.identifier_value as submitted_identifier',
      'watch.reference',
      'watch.company_id as company_ref',
      sql<string>`coalesce(company.name, '')`.as('name'),
    ])
    .where('watch_id', 'in', listed)
    .orderBy('watch_id', 'desc');
  return { total, page };
}

/** Marks the given submissions that have no queued number as settled, and queues a mail about each submission. */
export async function settle(tx: Tx, submissions: string[], now: Date): Promise<void> {
  await sql`select customer.settle_submissions(${submissions}, ${now})`.execute(tx);
}
