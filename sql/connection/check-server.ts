import type { Pool } from 'pg';

/** The oldest supported PostgreSQL, as `server_version_num`. */
const OLDEST_SERVER = 150000;

/** Throws a sentence when the server is unreachable or too old, or its encoding is not UTF-8. */
export async function checkServer(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<{ version: number; encoding: string }>(
      `select current_setting('server_version_num')::int as version,
         current_setting('server_encoding') as encoding`,
    )
    .catch((cause: NodeJS.ErrnoException) => {
      // An error of several refused addresses has a code but no message.
      const reason = cause.message || cause.code;
      throw new Error(`The database cannot be reached: ${reason}`, { cause });
    });
  const { version, encoding } = rows[0]!;
  if (version < OLDEST_SERVER) {
    throw new Error(`PostgreSQL 15 or newer is needed; the server is ${version / 10000}`);
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `The encoding of the database must be UTF8; it is ${encoding}: make one by createdb --template=template0 --encoding=UTF8`,
    );
  }
}
