import type { Logger } from 'pino';

export function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Prints the result of a command: one JSON object with `--json`, else lines of text. */
export function answer(isJson: boolean | undefined, found: object, lines: readonly string[]): void {
  print(isJson ? [JSON.stringify(found)] : lines);
}

/** Writes a sentence to stderr: as plain text on a terminal, else as a log line that also contains `fields`. */
export function say(
  logger: Logger,
  level: 'info' | 'warn' | 'error',
  text: string,
  fields = {},
): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`);
  else logger[level](fields, text);
}

/** Returns a timestamp of the database to the minute (`2026-11-06 07:30 UTC`); database sessions are in UTC. */
export function minute(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace('T', ' ')} UTC`;
}
