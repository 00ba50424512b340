import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { unauthorized } from '../auth/authenticate.ts';
import { identifierType } from '../dictionaries/names.ts';
import { text } from '../endpoint/answers.ts';
import type { Bounds } from '../figures.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { type Paging, rowCount, skippedBy } from '../http/paging.ts';

/** The fields by which answers name a watched company. */
export const watchedFields = {
  primary_identifier: text,
  identifier_type: identifierType,
  submitted_identifier: text,
  company_ref: text.nullable(),
  name: text,
};

/**
 * Returns the query of a page of a watch list, and the total count of companies; with `isCustom` only companies
 * with their own alert settings. Spec: silent on the order of a watch list; we list the newest first.
 */
export async function selectPage(db: Db, account_id: string, paging: Paging, isCustom = false) {
  const watches = db
    .selectFrom('customer.watch as watch')
    .where('account_id', '=', account_id)
    .$if(isCustom, (query) => query.where('has_custom_settings', '=', true));
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
      sql<string>`
        coalesce(registry.primary_identifier(company), watch.identifier_value)
      `.as('primary_identifier'),
      sql<string>`
        coalesce(registry.identifier_type(company), watch.identifier_type)
      `.as('identifier_type'),
      'watch.identifier_value as submitted_identifier',
      'watch.company_id as company_ref',
      sql<string>`coalesce(company.name, '')`.as('name'),
    ])
    .where('watch_id', 'in', listed)
    .orderBy('watch_id', 'desc');
  return { total, page };
}

/** Company numbers that an account submits, to watch their companies or to stop watching them. */
interface Submission {
  account_id: string;
  identifier_type: string;
  /** The numbers without spaces and dashes, each once. */
  values: readonly string[];
  now: Date;
}

/**
 * Runs a transaction that changes the watch list of an account. The account is locked, so that requests and the
 * nightly run take turns. Throws a 401 when the account has ended.
 */
export function changeWatchList<Result>(
  db: Db,
  account_id: string,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await tx
      .selectFrom('customer.account')
      .select('account_id')
      .where('account_id', '=', account_id)
      .where('ended_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(() => unauthorized('Invalid token'));
    return change(tx);
  });
}

/**
 * Adds companies to the watch list of an account, and returns the counts of ready and queued numbers and of added
 * companies, and whether mails report submissions. Throws a 422 when the account exceeds a bound.
 */
export async function addCompanies(db: Db, submission: Submission, bounds: Bounds) {
  const { account_id, values, now } = submission;
  return changeWatchList(db, account_id, async (tx) => {
    const { submission_id, watch_ids, new_ids } = await submit(tx, submission);
    // The submissions are read first, since `make_ready` moves them from a duplicate watch to the kept one.
    const { rows } = await sql<{ submissions: string[] }>`
      select customer.submissions_of(${watch_ids}) as submissions
    `.execute(tx);
    await sql`select customer.make_ready(${watch_ids}, ${now})`.execute(tx);
    // A duplicate of an existing watch is deleted by now.
    const asked = [account_id, submission_id, new_ids];
    const [counts] = await runPrepared<Counts>(tx, 'api/monitor/count_watches.sql', asked);
    const { ready, added, notifies } = counts!;
    requireBounds(counts!, bounds);
    if (added === 0) {
      await sql`delete from customer.submission where submission_id = ${submission_id}`.execute(tx);
    }
    await settle(tx, rows[0]!.submissions, now);
    const queued = values.length - ready;
    if (queued > 0) await sql`select customer.enqueue_import()`.execute(tx);
    return { ready, queued, added, notifies };
  });
}

type Counted = 'ready' | 'added' | 'waiting' | 'all_watches' | 'all_queued';

type Counts = Record<Counted, number> & { notifies: boolean };

function requireBounds({ added, waiting, all_watches, all_queued }: Counts, bounds: Bounds): void {
  const { WATCHES_PER_ACCOUNT: watches, QUEUED_NUMBERS_PER_ACCOUNT: queued } = bounds;
  const problems: Problem[] = [];
  if (added > 0 && all_watches > watches) {
    const problem = `A watch list has at most ${watches} companies; this would make ${all_watches}.`;
    problems.push(['identifier_value', problem, 'limit_exceeded']);
  }
  if (waiting > 0 && all_queued > queued) {
    const problem = `At most ${queued} numbers of an account wait for their import; this would make ${all_queued}.`;
    problems.push(['identifier_value', problem, 'limit_exceeded']);
  }
  if (problems.length > 0) throw invalid(problems);
}

async function settle(tx: Tx, submissions: string[], now: Date): Promise<void> {
  await sql`select customer.settle_submissions(${submissions}, ${now})`.execute(tx);
}

async function submit(tx: Tx, { account_id, identifier_type, values, now }: Submission) {
  // A failed watch is deleted, so that its number is queued again.
  await sql`
    delete from customer.watch
    where
        account_id = ${account_id}
        and identifier_type = ${identifier_type}
        and identifier_value = any(${values}::text[])
        and state = 'failed'
  `.execute(tx);
  type Item = { submission_id: string; watch_id: string; is_new: boolean };
  const given = [account_id, identifier_type, values, now];
  const rows = await runPrepared<Item>(tx, 'api/monitor/submit_numbers.sql', given);
  return {
    submission_id: rows[0]!.submission_id,
    watch_ids: rows.map(({ watch_id }) => watch_id),
    new_ids: rows.filter(({ is_new }) => is_new).map(({ watch_id }) => watch_id),
  };
}

/** The outcome of a number in a removal; `not_found`: no registry knows the number. */
export type RemovalOutcome = 'removed' | 'not_found' | 'not_watched';

/** A number with its outcome, and the removed watch with its company; null: nothing was removed, or is known. */
type FoundNumber = { value: string; outcome: RemovalOutcome } & Record<
  'watch_id' | 'company_id',
  string | null
>;

/**
 * Removes companies from the watch list of an account, and their events from its feed. Returns the numbers with
 * their outcomes, in the submitted order.
 */
export async function removeCompanies(db: Db, removal: Submission): Promise<FoundNumber[]> {
  const { account_id, now } = removal;
  return changeWatchList(db, account_id, async (tx) => {
    const asked = [account_id, removal.identifier_type, removal.values];
    const numbers = await runPrepared<FoundNumber>(tx, 'api/monitor/find_watches.sql', asked);
    const company_ids = numbers.map(({ company_id }) => company_id);
    await runPrepared(tx, 'api/monitor/delete_feed.sql', [account_id, company_ids]);
    const watch_ids = numbers.map(({ watch_id }) => watch_id);
    const { rows } = await sql<{ submissions: string[] }>`
      with removed as (
          delete from customer.watch where watch_id = any(${watch_ids}::bigint[])
      )
      select customer.submissions_of(${watch_ids}) as submissions
    `.execute(tx);
    await settle(tx, rows[0]!.submissions, now);
    return numbers;
  });
}
