import type { DestinationStream, Logger } from 'pino';

/** The level numbers of pino for a fatal fault and for a warning. */
const levels = { fatal: 60, warn: 40 };

/**
 * Opens the log of a process on stderr: readable lines on a terminal, otherwise one JSON object per line. Secrets in
 * requests are removed in api/http/request-log.ts.
 *
 * @param level the lowest level that is written, such as `info`
 * @param destination the stream of the JSON lines; by default stderr, without a buffer
 */
export async function openLog(level: string, destination?: DestinationStream): Promise<Logger> {
  const { pino } = await import('pino');
  if (!process.stderr.isTTY) {
    return pino({ level }, destination ?? pino.destination({ fd: 2, sync: true }));
  }
  const { default: pretty } = await import('pino-pretty');
  const lines = pretty({
    destination: 2,
    sync: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return pino({ level }, lines);
}

/**
 * Writes to stderr a sentence (on a terminal) or a JSON line with `fields`: why the process ends, or a warning before
 * the log is open.
 */
export function sayAtOnce(level: keyof typeof levels, msg: string, fields: object = {}): void {
  const line = { level: levels[level], time: Date.now(), pid: process.pid, ...fields, msg };
  process.stderr.write(`${process.stderr.isTTY ? msg : JSON.stringify(line)}\n`);
}
