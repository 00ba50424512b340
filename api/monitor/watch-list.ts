import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Caller } from '../auth/authenticate.ts';
import { changeAccount } from '../auth/change-account.ts';
import { numberFields } from '../events/event.ts';
import { type CompanyName, columnsOf } from '../companies/identifier.ts';
import { text } from '../endpoint/answers.ts';
import type { Bounds } from '../figures/account-limits.ts';
import { invalid } from '../http/errors.ts';
import { type Paging, rowCount, skippedBy } from '../http/paging.ts';
import { readSubmission } from './submission.ts';

/** The fields by which answers name a watched company. */
export const watchedFields = {
  ...numberFields,
  submitted_identifier: text,
  company_ref: text.nullable(),
  name: text,
  reference: text.nullable(),
};

export const watchStates = ['queued', 'ready', 'failed'] as const;

/** Returns the condition of the watch of a company, or of the watch that has no company yet, by a number. */
export function isWatchOf([type, value]: CompanyName) {
  return sql<boolean>`(
    company_id = (select registry.find_company(${type}, ${value}))
    or company_id is null and identifier_type = ${type} and identifier_value = ${value}
  )`;
}

/**
 * Returns the query of a page of the asked companies of a watch list, and their total count. Spec: silent on the
 * order of a watch list; we list the newest first.
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
  // An index-only scan skips the rows before the page.
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

/** Companies that an account submits to its watch list, each once. */
interface Submission {
  caller: Caller;
  /** A null reference leaves the stored one as it is; an empty one deletes it. */
  items: readonly { name: CompanyName; reference: string | null }[];
  now: Date;
  /** The field of the request that lists the items. */
  field: string;
}

/**
 * Adds companies to the watch list of an account. Returns the submission with its items in lists by their outcome, the
 * count of added companies, and whether mails report submissions. Throws a 422 when the account exceeds a bound.
 */
export async function addCompanies(db: Db, submission: Submission, bounds: Bounds) {
  const { caller, now, field } = submission;
  const { account_id } = caller;
  return changeAccount(db, caller, async (tx) => {
    const { submission_id, submission_ref, watch_ids, new_ids } = await submit(tx, submission);
    // The submissions are read first, since `make_ready` moves them from a duplicate watch to the kept one.
    const { rows } = await sql<{ submissions: string[] }>`
      select array_append(customer.submissions_of(${watch_ids}), ${submission_id}::bigint) as submissions
    `.execute(tx);
    await sql`select customer.make_ready(${watch_ids}, ${now})`.execute(tx);
    await runPrepared(tx, 'api/monitor/name_watches.sql', [submission_id]);
    // A duplicate of an existing watch is deleted by now.
    const asked = [account_id, new_ids];
    const [counts] = await runPrepared<Counts>(tx, 'api/monitor/count_watches.sql', asked);
    const { added, notifies } = counts!;
    requireBounds(counts!, bounds, field);
    await sql`
      update customer.submission set is_reported = ${added > 0} where submission_id = ${submission_id}
    `.execute(tx);
    await settle(tx, rows[0]!.submissions, now);
    const data = (await readSubmission(tx, account_id, submission_ref))!;
    return { data, added, notifies };
  });
}

type Counts = { notifies: boolean } & Record<
  'added' | 'waiting' | 'all_watches' | 'all_queued',
  number
>;

function requireBounds(counts: Counts, bounds: Bounds, field: string): void {
  const { added, waiting, all_watches, all_queued } = counts;
  const { WATCHES_PER_ACCOUNT: watches, QUEUED_NUMBERS_PER_ACCOUNT: queued } = bounds;
  const problems = [
    added > 0 && all_watches > watches
      ? `A watch list has at most ${watches} companies; this would make ${all_watches}.`
      : [],
    waiting > 0 && all_queued > queued
      ? `At most ${queued} numbers of an account wait for their import; this would make ${all_queued}.`
      : [],
  ].flat();
  if (problems.length === 0) return;
  throw invalid(problems.map((problem) => [field, problem, 'limit_exceeded']));
}

async function settle(tx: Tx, submissions: string[], now: Date): Promise<void> {
  await sql`select customer.settle_submissions(${submissions}, ${now})`.execute(tx);
}

async function submit(tx: Tx, { caller: { account_id }, items, now }: Submission) {
  const columns = columnsOf(items.map(({ name }) => name));
  // A failed watch is deleted, so that its number is queued again.
  await sql`
    delete from customer.watch
    using unnest(${columns[0]}::text[], ${columns[1]}::text[]) as submitted (type, value)
    where
        account_id = ${account_id}
        and identifier_type = submitted.type
        and identifier_value = submitted.value
        and state = 'failed'
  `.execute(tx);
  type Submitted = Record<'submission_id' | 'submission_ref', string> &
    Record<'watch_ids' | 'new_ids', string[]>;
  const given = [account_id, now, ...columns, items.map(({ reference }) => reference)];
  const [submitted] = await runPrepared<Submitted>(tx, 'api/monitor/submit_numbers.sql', given);
  return submitted!;
}

/** The outcome of a company in a removal; `not_found`: no registry knows the number. */
export type RemovalOutcome = 'removed' | 'not_found' | 'not_watched';

/** The outcome, and the removed watch with its company; null: nothing was removed, or is known. */
type Found = { outcome: RemovalOutcome } & Record<'watch_id' | 'company_id', string | null>;

/**
 * Removes companies from the watch list of an account, and their events from its feed. Returns the outcomes in the
 * submitted order.
 */
export async function removeCompanies(
  db: Db,
  { caller, names, now }: { caller: Caller; names: readonly CompanyName[]; now: Date },
): Promise<RemovalOutcome[]> {
  return changeAccount(db, caller, async (tx) => {
    const { account_id } = caller;
    const asked = [account_id, ...columnsOf(names)];
    const found = await runPrepared<Found>(tx, 'api/monitor/find_watches.sql', asked);
    const company_ids = found.map(({ company_id }) => company_id);
    await runPrepared(tx, 'api/monitor/delete_feed.sql', [account_id, company_ids]);
    const watch_ids = found.map(({ watch_id }) => watch_id);
    const { rows } = await sql<{ submissions: string[] }>`
      with removed as (
          delete from customer.watch where watch_id = any(${watch_ids}::bigint[])
      )
      select customer.submissions_of(${watch_ids}) as submissions
    `.execute(tx);
    await settle(tx, rows[0]!.submissions, now);
    return found.map(({ outcome }) => outcome);
  });
}
