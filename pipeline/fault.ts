/** SQLSTATEs and socket errors of a server that went away, is stopping, or is not back yet. */
const codes = new Set([
  '57P01',
  '57P02',
  '57P03',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EPIPE',
  'ETIMEDOUT',
]);

/** What the driver says of it itself, without a code. */
const texts = /^(sql\/\S+: )?(Connection terminated|Client (has encountered|was closed)|timeout e)/;

/**
 * Whether the connection to the database was lost in the middle of the work: in a statement, or
 * because a further session could not be opened.
 */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // What `runFile` wraps is told as the driver told it.
  const { code, syscall } = (
    error.message.startsWith('sql/') ? error.cause : error
  ) as NodeJS.ErrnoException;
  if (code !== undefined && codes.has(code)) return true;
  // The socket of a server that is gone is a missing file.
  return syscall === 'connect' || texts.test(error.message);
}

/** A sentence for a fault, which tells what to do where that is known. */
export function describeFault(error: unknown): string {
  const { message, code } = (
    error instanceof Error ? error : new Error(String(error))
  ) as NodeJS.ErrnoException;
  // Several addresses that all refuse make an error without a message.
  const what = message === '' && code !== undefined ? code : message;
  if (!isLostConnection(error)) return what;
  return `The connection to the database was lost: ${what}; run it again.`;
}
