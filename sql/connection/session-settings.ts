import type { DatabaseError, Pool } from 'pg';

/** Fingerprints and state hashes depend on how dates and floats are written. */
const settings = { datestyle: 'ISO, YMD', timezone: 'UTC', extra_float_digits: '1' };

/**
 * Gives the role of this login its settings in this database, where they differ: a pooler refuses those
 * of a start of a session. They are kept by the server, and its standbys have them too. A login that only
 * reads writes no fingerprints, and stays as it is.
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
    // Another process does the same: the row is there already, or is being changed.
    if (!['23505', 'XX000'].includes(error.code ?? '')) throw error;
  });
  // The settings hold for sessions that begin from now on.
  const client = await pool.connect();
  client.release(true);
}
