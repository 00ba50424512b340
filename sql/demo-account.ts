import type { Pool } from 'pg';

// The companies of the invented days are in fixtures/ and fixtures/generator/.

/**
 * The e-mail address of the demo account; `npm start` creates this account. `npm start` prints the Master Token of the
 * demo account, and stores the token in a file.
 */
export const DEMO_EMAIL = 'demo@registry.example';

/**
 * Counts the published snapshots of invented days and of real days. A snapshot of an invented day counts
 * for ever, because its statistics and events stay.
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
 * Revokes the demo account's tokens, because the file and output that show them are not secret enough for a public API.
 *
 * @returns the number of revoked tokens
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
