import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { type Caller, unauthorized } from './authenticate.ts';

/**
 * Runs a transaction that changes data of the caller's account, under a lock on the account. Other requests of the
 * account, the nightly job, a recovery and a deletion wait for the lock. Throws a 401 if the caller's token is revoked.
 */
export function changeAccount<Result>(
  db: Db,
  { account_id, token_id }: Caller,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (tx) => {
    await sql`select customer.lock_accounts(array[${account_id}::bigint])`.execute(tx);
    const token = await tx
      .selectFrom('customer.token')
      .select('revoked_at')
      .where('token_id', '=', token_id)
      .executeTakeFirstOrThrow(() => unauthorized('Invalid token'));
    if (token.revoked_at) throw unauthorized('Token revoked');
    return change(tx);
  });
}
