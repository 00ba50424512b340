import type { DatabaseError } from 'pg';

/** Matches the SQLSTATEs and codes of socket errors that a lost, stopping or starting server causes. */
const lostCode = /^(57P0[123]|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|EPIPE|ETIMEDOUT)$/;

/** Matches the messages of the driver's own connection errors, which have no code. */
const lostTexts =
  /^(sql\/\S+: )?(Connection terminated|Client (has encountered|was closed)|timeout e)/;

/**
 * Matches the SQLSTATEs of a statement that may succeed later: no connection (class 08), an exhausted resource (class
 * 53), a timeout, a deadlock, or a database that accepts no connections.
 */
const passingCode = /^(08...|53...|55000|55P03|57014|40001|40P01)$/;

/** Checks whether a server refused a statement as a standby or while in recovery; pool.ts then ends the session. */
export function isNoWriter({ code, routine }: { code?: unknown; routine?: unknown }): boolean {
  // The code 0A000 of `get_relation_info` (plancat.c) means an unlogged table, which a server in recovery cannot read.
  return code === '25006' || (code === '0A000' && routine === 'get_relation_info');
}

/** Checks whether an error means that a statement lost its connection, or that no session could be opened. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // An error of `runFile` has the driver's error as its `cause`.
  const { code, syscall } = (
    error.message.startsWith('sql/') ? error.cause : error
  ) as NodeJS.ErrnoException;
  if (code !== undefined && lostCode.test(code)) return true;
  // A stopped server has no socket file, so the error of `connect` has a code of the file system (ENOENT).
  return syscall === 'connect' || lostTexts.test(error.message);
}

/** Checks whether work on the writer may be retried: the connection was lost, or the server has become a standby. */
export function isWriterGone(error: unknown): boolean {
  const { code, routine, cause } = (error ?? {}) as DatabaseError & { cause?: object };
  return isLostConnection(error) || isNoWriter({ code, routine }) || isNoWriter(cause ?? {});
}

/** Checks whether an error means that the database cannot answer at present, although the statement is correct. */
export function isDatabaseAway(error: unknown): boolean {
  if (isLostConnection(error)) return true;
  const said = (error ?? {}) as { code?: unknown };
  return isNoWriter(said) || (typeof said.code === 'string' && passingCode.test(said.code));
}
