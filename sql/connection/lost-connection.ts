import type { DatabaseError } from 'pg';

/** SQLSTATEs and socket errors of a server that went away, is stopping, or is not back yet. */
const lostCode = /^(57P0[123]|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|EPIPE|ETIMEDOUT)$/;

/** Errors of the driver itself, which have no code. */
const lostTexts =
  /^(sql\/\S+: )?(Connection terminated|Client (has encountered|was closed)|timeout e)/;

/**
 * SQLSTATEs of a statement that may succeed later: no connection (class 08), a resource that is used up
 * (class 53), a timeout, a deadlock, a database that accepts no connections.
 */
const passingCode = /^(08...|53...|55000|55P03|57014|40001|40P01)$/;

/** Whether a server refused a statement because it is no writer, or not yet. */
export function isNoWriter({ code, routine }: { code?: unknown; routine?: unknown }): boolean {
  // The second is of an unlogged table, which a server in recovery cannot read (PostgreSQL's plancat.c).
  return code === '25006' || (code === '0A000' && routine === 'get_relation_info');
}

/** Whether a statement lost its connection to the database, or a further session could not be opened. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // `runFile` wraps the error of the driver.
  const { code, syscall } = (
    error.message.startsWith('sql/') ? error.cause : error
  ) as NodeJS.ErrnoException;
  if (code !== undefined && lostCode.test(code)) return true;
  // The socket of a server that is gone is a missing file.
  return syscall === 'connect' || lostTexts.test(error.message);
}

/** Whether work on the writer may be done again: its connection was lost, or it is a standby now. */
export function isWriterGone(error: unknown): boolean {
  const { code, routine, cause } = (error ?? {}) as DatabaseError & { cause?: object };
  return isLostConnection(error) || isNoWriter({ code, routine }) || isNoWriter(cause ?? {});
}

/** Whether the database cannot answer now, although nothing is wrong with what it was asked. */
export function isDatabaseAway(error: unknown): boolean {
  if (isLostConnection(error)) return true;
  const said = (error ?? {}) as { code?: unknown };
  return isNoWriter(said) || (typeof said.code === 'string' && passingCode.test(said.code));
}
