import type { DatabaseError, Pool } from 'pg';

/**
 * Sets the formats of dates and floats for the current role in the current database, if necessary. Fingerprints and
 * state hashes depend on the formats. A pooler refuses settings at the start of a session, so they are stored with the
 * role, also for standbys. A read-only session sets nothing, because it writes no fingerprints.
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
    // The codes 23505 and XX000 mean that another process makes the same change at the same time.
    if (!['23505', 'XX000'].includes(error.code ?? '')) throw error;
  });
  // The formats apply only to new sessions, so the pool's present session is closed.
  const client = await pool.connect();
  client.release(true);
}
