import type { Pool } from 'pg';

// Invented companies: fixtures/ and fixtures/generator/.

/**
 * The e-mail address of the account that `npm start` makes. `npm start` prints its Master Token and keeps it
 * in a file.
 */
export const DEMO_EMAIL = 'demo@registry.example';

/**
 * Returns the numbers of published snapshots of invented days and of real days. Invented days remain in the
 * statistics and events, even if later dumps contain other companies.
 */
export async function countSnapshots(pool: Pool): Promise<Record<'invented' | 'real', number>> {
  const { rows } = await pool.query<Record<'invented' | 'real', number>>(
    `select
       count(*) filter (where registry.is_invented(run))::float8 as invented,
       count(*) filter (where not registry.is_invented(run))::float8 as real
     from registry.run
     where state = 'published'`,
  );
  return rows[0]!;
}

/**
 * Revokes the tokens of the demo account, which are not secret enough for an API that strangers reach.
 *
 * @returns the number of tokens that were valid until now
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
