import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { type Caller, unauthorized } from './authenticate.ts';

/**
 * Locks the caller's account, and runs a transaction that changes its data. Other changes of the account, by requests
 * or by the nightly job, wait until the transaction ends. Throws a 401 if the caller's token is revoked.
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
