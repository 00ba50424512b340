import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/kysely.ts';
import type { IdentifierType } from '../companies/identifier.ts';
import { rowCount } from '../http/paging.ts';

/** Numbers that an account submits, to watch them or to stop watching them. */
export interface Submission {
  account_id: string;
  identifier_type: IdentifierType;
  /** As `normalizeIdentifier` gives them, each once. */
  values: readonly string[];
  now: Date;
}

/**
 * Runs a transaction that changes the watch list of an account. It locks the account, so that requests
 * and the night change the list one after the other.
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
      .forNoKeyUpdate()
      .execute();
    return change(tx);
  });
}

/**
 * Puts companies on the watch list of an account. A number is ready where its company is known, else
 * queued; a watched number changes nothing. When no number is queued, the same transaction writes the
 * mail about the submission.
 *
 * @returns how many of the numbers are ready, and how many are queued
 */
export async function addCompanies(
  db: Db,
  submission: Submission,
): Promise<{ ready: number; queued: number }> {
  const { account_id, now } = submission;
  return changeWatchList(db, account_id, async (tx) => {
    const submission_id = await submit(tx, submission);
    await sql`select customer.advance_watches(${now}, ${account_id})`.execute(tx);
    const { total: ready } = await tx
      .selectFrom('customer.submission_item as item')
      .innerJoin('customer.watch as watch', 'watch.watch_id', 'item.watch_id')
      .select(rowCount)
      .where('submission_id', '=', submission_id)
      .where('state', '=', 'ready')
      .executeTakeFirstOrThrow();
    const queued = submission.values.length - ready;
    if (queued > 0) await sql`select customer.enqueue_import()`.execute(tx);
    return { ready, queued };
  });
}

async function submit(
  tx: Tx,
  { account_id, identifier_type, values, now }: Submission,
): Promise<string> {
  // A failed number is queued again.
  await tx
    .deleteFrom('customer.watch')
    .where('account_id', '=', account_id)
    .where('identifier_type', '=', identifier_type)
    .where('identifier_value', '=', sql<string>`any(${values}::text[])`)
    .where('state', '=', 'failed')
    .execute();
  const { rows } = await sql<{ submission_id: string }>`
    with submitted as (
        select value, item_no
        from unnest(${values}::text[]) with ordinality as submitted (value, item_no)
    ),
    awaited as (
        insert into customer.watch as watch (
            account_id, identifier_type, identifier_value, state, created_at
        )
        select ${account_id}, ${identifier_type}, value, 'queued', ${now}
        from submitted
        order by item_no
        -- Changes nothing, but returns the existing row.
        on conflict (account_id, identifier_type, identifier_value) where company_id is null
        do update set account_id = watch.account_id
        returning watch_id, identifier_value
    ),
    submission as (
        insert into customer.submission (account_id, created_at)
        values (${account_id}, ${now})
        returning submission_id
    )
    insert into customer.submission_item (
        submission_id, item_no, identifier_type, identifier_value, watch_id
    )
    select submission_id, item_no, ${identifier_type}, value, watch_id
    from submission
    cross join submitted
    join awaited on identifier_value = value
    returning submission_id
  `.execute(tx);
  return rows[0]!.submission_id;
}
