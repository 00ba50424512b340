import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { type Caller, unauthorized } from './authenticate.ts';

/**
 * Runs a transaction that changes what belongs to the account of the caller. The account is locked, so that requests,
 * the nightly run, a recovery and the end of the account take turns. Throws a 401 when the token is revoked meanwhile.
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
