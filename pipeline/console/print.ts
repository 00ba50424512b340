import type { Logger } from 'pino';

export function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Prints what a command has found: one JSON object with `--json`, else lines for people. */
export function answer(isJson: boolean | undefined, found: object, lines: readonly string[]): void {
  print(isJson ? [JSON.stringify(found)] : lines);
}

/** Writes a sentence to stderr: as text on a terminal, else as a line of the log, which also has `fields`. */
export function say(
  logger: Logger,
  level: 'info' | 'warn' | 'error',
  text: string,
  fields = {},
): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`);
  else logger[level](fields, text);
}

/** Returns a timestamp of the database, whose sessions are in UTC, to the minute. */
export function minute(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace('T', ' ')} UTC`;
}
