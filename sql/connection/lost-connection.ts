import type { DatabaseError } from 'pg';

/** Matches the SQLSTATEs and socket errors of a server that is lost, stopping or starting. */
const lostCode = /^(57P0[123]|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|EPIPE|ETIMEDOUT)$/;

/** Matches the messages of connection errors of the driver itself, which have no code. */
const lostTexts =
  /^(sql\/\S+: )?(Connection terminated|Client (has encountered|was closed)|timeout e)/;

/**
 * Matches the SQLSTATEs of a statement that may succeed later: no connection (class 08), an exhausted resource
 * (class 53), a timeout, a deadlock, a database that accepts no connections.
 */
const passingCode = /^(08...|53...|55000|55P03|57014|40001|40P01)$/;

/**
 * Checks whether a server refused a statement because it is a standby, or is still in recovery; pool.ts ends such a
 * session.
 */
export function isNoWriter({ code, routine }: { code?: unknown; routine?: unknown }): boolean {
  // The code 0A000 is about an unlogged table, which a server in recovery cannot read (PostgreSQL's plancat.c).
  return code === '25006' || (code === '0A000' && routine === 'get_relation_info');
}

/** Checks whether a statement lost its connection to the database, or a session could not be opened. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // `runFile` wraps the error of the driver.
  const { code, syscall } = (
    error.message.startsWith('sql/') ? error.cause : error
  ) as NodeJS.ErrnoException;
  if (code !== undefined && lostCode.test(code)) return true;
  // The socket of a stopped server is a missing file, so the error has a code of the file system.
  return syscall === 'connect' || lostTexts.test(error.message);
}

/** Checks whether work on the writer may be retried: its connection was lost, or the server is now a standby. */
export function isWriterGone(error: unknown): boolean {
  const { code, routine, cause } = (error ?? {}) as DatabaseError & { cause?: object };
  return isLostConnection(error) || isNoWriter({ code, routine }) || isNoWriter(cause ?? {});
}

/** Checks whether the database cannot answer now, although the statement itself is correct. */
export function isDatabaseAway(error: unknown): boolean {
  if (isLostConnection(error)) return true;
  const said = (error ?? {}) as { code?: unknown };
  return isNoWriter(said) || (typeof said.code === 'string' && passingCode.test(said.code));
}
