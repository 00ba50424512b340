import type { Pool } from 'pg';

/** The account that `npm start` makes; its Master Token is printed, and kept in a file. */
export const DEMO_EMAIL = 'demo@registry.example';

/**
 * Revokes the tokens of the demo account, which are not secret enough for an API that others reach.
 *
 * @returns how many were valid until now
 */
export async function revokeDemoTokens(pool: Pool, now: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `update customer.token
     set revoked_at = $2
     from customer.account
     where account.account_id = token.account_id
       and account.email = $1
       and token.revoked_at is null`,
    [DEMO_EMAIL, now],
  );
  return rowCount ?? 0;
}
