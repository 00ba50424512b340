import { sql, type Kysely, type Transaction } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import type { IdentifierType } from '../companies/identifier.ts';

/** Numbers that an account wants to watch. */
export interface Submission {
  account_id: string;
  identifier_type: IdentifierType;
  /** As `normalizeIdentifier` gives them, each once. */
  values: readonly string[];
  now: Date;
}

/**
 * What adds or removes companies of an account waits for whoever else does, the night included: so
 * that a list is never changed while it is being looked at.
 */
export async function lockAccount(tx: Transaction<Tables>, account_id: string): Promise<void> {
  await tx
    .selectFrom('customer.account')
    .select('account_id')
    .where('account_id', '=', account_id)
    .forNoKeyUpdate()
    .execute();
}

/**
 * Puts companies on the watch list of an account. Each number is waited for, and ready at once where
 * a company is known by it; one that is watched already changes nothing. When none is waited for any
 * more, the mail about the submission is left in the same transaction.
 *
 * @returns how many of the numbers are ready, and how many are waited for
 */
export async function addCompanies(
  db: Kysely<Tables>,
  submission: Submission,
): Promise<{ ready: number; queued: number }> {
  const { account_id, now } = submission;
  return db.transaction().execute(async (tx) => {
    await lockAccount(tx, account_id);
    const submission_id = await submit(tx, submission);
    await sql`select customer.advance_watches(${now}, ${account_id})`.execute(tx);
    const ready = await countReady(tx, submission_id);
    const queued = submission.values.length - ready;
    if (queued > 0) await sql`select customer.enqueue_import()`.execute(tx);
    return { ready, queued };
  });
}

async function submit(
  tx: Transaction<Tables>,
  { account_id, identifier_type, values, now }: Submission,
): Promise<string> {
  // One that has failed is waited for anew.
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
        insert into ${sql.table('customer.watch')} as watch (
            account_id, identifier_type, identifier_value, state, created_at
        )
        select ${account_id}, ${identifier_type}, value, 'queued', ${now}
        from submitted
        order by item_no
        -- Changes nothing, but gives the number of the one that is there.
        on conflict (account_id, identifier_type, identifier_value) where company_id is null
        do update set account_id = watch.account_id
        returning watch_id, identifier_value
    ),
    submission as (
        insert into ${sql.table('customer.submission')} (account_id, created_at)
        values (${account_id}, ${now})
        returning submission_id
    )
    insert into ${sql.table('customer.submission_item')} (
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

async function countReady(tx: Transaction<Tables>, submission_id: string): Promise<number> {
  const { count } = await tx
    .selectFrom('customer.submission_item as item')
    .innerJoin('customer.watch as watch', 'watch.watch_id', 'item.watch_id')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('submission_id', '=', submission_id)
    .where('state', '=', 'ready')
    .executeTakeFirstOrThrow();
  return Number(count);
}
