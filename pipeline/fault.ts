import { isLostConnection } from '../sql/connection/lost-connection.ts';

/** The error code (SQLSTATE) with which PostgreSQL reports a full disk. */
const DISK_FULL = '53100';

/** Returns whether an error says that the database server's disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (code === DISK_FULL || /no space left on device/i.test(error.message)) return true;
  return error.cause !== undefined && isDiskFull(error.cause);
}

/** Returns a sentence that describes an error, with the remedy if a remedy is known. */
export function describeFault(error: unknown): string {
  const { message, code } = (
    error instanceof Error ? error : new Error(String(error))
  ) as NodeJS.ErrnoException;
  // If all addresses of a host refuse the connection, Node's error has a code but no message.
  const what = message === '' && code !== undefined ? code : message;
  if (isDiskFull(error)) return `The disk of the database is full: ${what}; make room there first.`;
  if (!isLostConnection(error)) return what;
  return `The connection to the database was lost: ${what}; run it again.`;
}
