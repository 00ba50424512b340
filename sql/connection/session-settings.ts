import type { DatabaseError, Pool } from 'pg';

/**
 * Sets the formats of dates and floats, on which fingerprints and state hashes depend, for the current role in the
 * current database, where they differ. A pooler refuses settings at the start of a session; the server and its
 * standbys keep the settings of a role. A read-only session sets nothing: it writes no fingerprints.
 */
export async function settleSessions(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ command: string }>(
    `select
       format('alter role current_user in database %I set %s = %L', current_database(), name, needed)
         as command
     from pg_settings
     join (
       values ('DateStyle', 'ISO, YMD'), ('TimeZone', 'UTC'), ('extra_float_digits', '1')
     ) as format (name, needed) using (name)
     where setting <> needed and current_setting('transaction_read_only') = 'off'`,
  );
  if (rows.length === 0) return;
  const commands = rows.map(({ command }) => command).join(';\n');
  await pool.query(commands).catch((error: DatabaseError) => {
    // Another process is making the same change, or has just made it.
    if (!['23505', 'XX000'].includes(error.code ?? '')) throw error;
  });
  // The settings hold for new sessions alone, so this one is ended.
  const client = await pool.connect();
  client.release(true);
}
