import type { DatabaseError, Pool } from 'pg';

/** The settings of sessions on which fingerprints and state hashes depend: the formats of dates and floats. */
const settings = { datestyle: 'ISO, YMD', timezone: 'UTC', extra_float_digits: '1' };

/**
 * Sets `settings` for the current role in the current database, where they differ. A pooler refuses settings
 * at the start of a session; the server and its standbys keep the settings of a role. A read-only session sets
 * nothing: it writes no fingerprints.
 */
export async function settleSessions(pool: Pool): Promise<void> {
  const names = Object.keys(settings);
  const { rows } = await pool.query<{ name: string; setting: string; database: string }>(
    `select lower(name) as name, setting, quote_ident(current_database()) as database
     from pg_settings
     where lower(name) = any($1) and current_setting('transaction_read_only') = 'off'`,
    [names],
  );
  const differing = rows.filter(
    ({ name, setting }) => setting !== settings[name as keyof typeof settings],
  );
  if (differing.length === 0) return;
  const commands = differing.map(
    ({ name, database }) =>
      `alter role current_user in database ${database} set ${name} = '${settings[name as keyof typeof settings]}'`,
  );
  await pool.query(commands.join(';\n')).catch((error: DatabaseError) => {
    // Another process sets the same: the row of the settings exists already, or is being changed.
    if (!['23505', 'XX000'].includes(error.code ?? '')) throw error;
  });
  // The settings hold for new sessions alone, so this one is ended.
  const client = await pool.connect();
  client.release(true);
}
