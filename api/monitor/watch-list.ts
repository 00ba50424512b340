import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { unauthorized } from '../auth/authenticate.ts';
import type { Bounds } from '../figures.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { type Paging, rowCount, skippedBy } from '../http/paging.ts';

/**
 * A page of a watch list, and the count of its companies: those with settings of their own, or all.
 * Spec: silent on the order; we give the newest first.
 *
 * @returns the query of the page selects the number of today, else the submitted one, and the name
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

/** Numbers that an account submits, to watch them or to stop watching them. */
interface Submission {
  account_id: string;
  identifier_type: string;
  /** Without spaces and dashes, each number once. */
  values: readonly string[];
  now: Date;
}

/**
 * Runs a transaction that changes the watch list of an account. It locks the account, so that requests
 * and the night change the list one after the other. Throws the 401 of an account that ended meanwhile.
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
 * Puts companies on the watch list of an account. A number is ready where its company is known, else
 * queued. A submission that puts nothing on the list leaves no trace, and no mail. When no number is
 * queued, the same transaction writes the mail. Throws a 422 that names the bound.
 *
 * @returns how many of the numbers are ready and queued, how many companies are new on the list, and
 *   whether a mail will tell of the submission
 */
export async function addCompanies(db: Db, submission: Submission, bounds: Bounds) {
  const { account_id, values, now } = submission;
  return changeWatchList(db, account_id, async (tx) => {
    const { submission_id, watch_ids, new_ids } = await submit(tx, submission);
    // Before: a watch that gives way to another takes its submissions along.
    const { rows } = await sql<{ submissions: string[] }>`
      select customer.submissions_of(${watch_ids}) as submissions
    `.execute(tx);
    await sql`select customer.make_ready(${watch_ids}, ${now})`.execute(tx);
    const counts = await countWatches(tx, account_id, submission_id, new_ids);
    const { ready, added, notifies } = counts;
    requireBounds(counts, bounds);
    if (added === 0) {
      await sql`delete from customer.submission where submission_id = ${submission_id}`.execute(tx);
    }
    await settle(tx, rows[0]!.submissions, now);
    const queued = values.length - ready;
    if (queued > 0) await sql`select customer.enqueue_import()`.execute(tx);
    return { ready, queued, added, notifies };
  });
}

type Counts = Awaited<ReturnType<typeof countWatches>>;

/** @param new_ids those that the submission has put on the list; those of watched companies are gone again */
async function countWatches(tx: Tx, account_id: string, submission_id: string, new_ids: string[]) {
  type Name = 'ready' | 'added' | 'waiting' | 'all_watches' | 'all_queued';
  const { rows } = await sql<Record<Name, number> & { notifies: boolean }>`
    select
        (
            select count(*)
            from customer.submission_item
            join customer.watch using (watch_id)
            where submission_id = ${submission_id} and state = 'ready'
        )::int as ready,
        count(*)::int as added,
        count(*) filter (where state = 'queued')::int as waiting,
        (select count(*) from customer.watch where account_id = ${account_id})::int as all_watches,
        (
            select count(*)
            from customer.watch
            where account_id = ${account_id} and state = 'queued'
        )::int as all_queued,
        coalesce(
            (
                select notify_submissions
                from customer.alert_setting
                where account_id = ${account_id}
            ),
            true
        ) as notifies
    from customer.watch
    where watch_id = any(${new_ids}::bigint[])
  `.execute(tx);
  return rows[0]!;
}

function requireBounds({ added, waiting, all_watches, all_queued }: Counts, bounds: Bounds): void {
  const { WATCHES_PER_ACCOUNT: watches, QUEUED_NUMBERS_PER_ACCOUNT: queued } = bounds;
  const problems: Problem[] = [];
  if (added > 0 && all_watches > watches) {
    const text = `A watch list has at most ${watches} companies; this would make ${all_watches}.`;
    problems.push(['identifier_value', text]);
  }
  if (waiting > 0 && all_queued > queued) {
    const text = `At most ${queued} numbers of an account wait for their import; this would make ${all_queued}.`;
    problems.push(['identifier_value', text]);
  }
  if (problems.length > 0) throw invalid(problems);
}

async function settle(tx: Tx, submissions: string[], now: Date): Promise<void> {
  await sql`select customer.settle_submissions(${submissions}, ${now})`.execute(tx);
}

async function submit(tx: Tx, { account_id, identifier_type, values, now }: Submission) {
  // A failed number is queued again.
  await sql`
    delete from customer.watch
    where
        account_id = ${account_id}
        and identifier_type = ${identifier_type}
        and identifier_value = any(${values}::text[])
        and state = 'failed'
  `.execute(tx);
  type Item = { submission_id: string; watch_id: string; is_new: boolean };
  const { rows } = await sql<Item>`
    with awaited as (
        insert into customer.watch as watch (
            account_id, identifier_type, identifier_value, state, created_at
        )
        select ${account_id}, ${identifier_type}, value, 'queued', ${now}
        from unnest(${values}::text[]) with ordinality as submitted (value, item_no)
        order by item_no
        -- Changes nothing, but returns the existing row.
        on conflict (account_id, identifier_type, identifier_value) where company_id is null
        do update set account_id = watch.account_id
        returning watch_id, identifier_value, xmax = 0 as is_new
    ),
    submission as (
        insert into customer.submission (account_id, created_at)
        values (${account_id}, ${now})
        returning submission_id
    ),
    item as (
        insert into customer.submission_item (
            submission_id, item_no, identifier_type, identifier_value, watch_id
        )
        select submission_id, item_no, ${identifier_type}, value, watch_id
        from submission
        cross join unnest(${values}::text[]) with ordinality as submitted (value, item_no)
        join awaited on identifier_value = value
    )
    select submission_id, watch_id, is_new
    from submission
    cross join awaited
  `.execute(tx);
  return {
    submission_id: rows[0]!.submission_id,
    watch_ids: rows.map(({ watch_id }) => watch_id),
    new_ids: rows.filter(({ is_new }) => is_new).map(({ watch_id }) => watch_id),
  };
}

/** `not_found`: no registry knows the number. */
export type RemovalOutcome = 'removed' | 'not_found' | 'not_watched';

interface FoundNumber {
  value: string;
  outcome: RemovalOutcome;
  /** Null unless the company is removed. */
  watch_id: string | null;
  company_id: string | null;
}

/**
 * Removes companies from the watch list of an account, and their events from its feed. Any number of a
 * company names it; a queued or failed company has only the submitted number.
 *
 * @returns the numbers in their order
 */
export async function removeCompanies(db: Db, removal: Submission): Promise<FoundNumber[]> {
  const { account_id, now } = removal;
  return changeWatchList(db, account_id, async (tx) => {
    const numbers = await findNumbers(tx, removal);
    await deleteEvents(tx, account_id, numbers);
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

async function findNumbers(tx: Tx, { account_id, identifier_type, values }: Submission) {
  const { rows } = await sql<FoundNumber>`
    select
        asked.value,
        case
            when watch.watch_id is not null then 'removed'
            when known.company_id is not null then 'not_watched'
            else 'not_found'
        end as outcome,
        watch.watch_id,
        watch.company_id
    from unnest(${values}::text[]) with ordinality as asked (value, item_no)
    cross join lateral registry.find_company(${identifier_type}, asked.value) as known (company_id)
    left join lateral (
        select watch_id, company_id
        from customer.watch
        where account_id = ${account_id} and company_id = known.company_id
        union all
        select watch_id, company_id
        from customer.watch
        where
            account_id = ${account_id}
            and identifier_type = ${identifier_type}
            and identifier_value = asked.value
            and company_id is null
        order by company_id nulls last
        limit 1
    ) as watch on true
    order by asked.item_no
  `.execute(tx);
  return rows;
}

async function deleteEvents(tx: Tx, account_id: string, numbers: FoundNumber[]): Promise<void> {
  const company_ids = numbers.map(({ company_id }) => company_id);
  await sql`
    with deleted as (
        delete from customer.feed
        where account_id = ${account_id} and company_id = any(${company_ids}::bigint[])
        returning event_date, event_type, company_id
    ),
    counted as (
        select event_date, coalesce(event_type, '') as event_type, country_code, count(*) as event_count
        from deleted
        join registry.company using (company_id)
        group by event_date, country_code, grouping sets ((event_type), ())
    )
    merge into customer.feed_count as feed_count
    using counted
        on feed_count.account_id = ${account_id}
        and feed_count.event_date = counted.event_date
        and feed_count.event_type = counted.event_type
        and feed_count.country_code = counted.country_code
    when matched and feed_count.event_count = counted.event_count then delete
    when matched then update set event_count = feed_count.event_count - counted.event_count
  `.execute(tx);
}
