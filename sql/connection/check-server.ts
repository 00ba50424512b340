import type { Pool } from 'pg';

/** The oldest supported version of PostgreSQL, in the format of `server_version_num`. */
const OLDEST_SERVER = 150000;

/** Throws a readable error when the server is unreachable or too old, or the encoding of its database is not UTF-8. */
export async function checkServer(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<{ version: number; encoding: string }>(
      `select current_setting('server_version_num')::int as version,
         current_setting('server_encoding') as encoding`,
    )
    .catch((cause: NodeJS.ErrnoException) => {
      // If several addresses of a host refuse the connection, Node's error has a code but no message.
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
