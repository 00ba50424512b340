import { createReadStream } from 'node:fs';

/** Characters of an unreadable line that are kept. */
const RAW_LENGTH = 4000;

export interface LineLimit {
  /** A longer line is skipped and told as unreadable. */
  max_bytes: number;
}

/** A line of a file, without its end, or why it cannot be read. `line` counts from 1. */
export type Line = { line: number } & ({ text: string } | { reason: string; raw: string });

/**
 * The lines of a UTF-8 file that are not blank, one at a time; no longer line is ever held in
 * memory. A byte order mark is left out.
 *
 * @param signal aborted when nobody wants the rest; the generator then throws its reason
 */
export async function* readLines(
  path: string,
  { max_bytes }: LineLimit,
  signal?: AbortSignal,
): AsyncGenerator<Line> {
  let line = 1;
  let held: Buffer[] = [];
  let byte_count = 0;
  const hold = (bytes: Buffer): void => {
    // Of a line that is too long the beginning is enough to tell which it was.
    if (byte_count <= max_bytes) held.push(bytes);
    byte_count += bytes.length;
  };
  const take = (): Line | undefined => {
    const taken = decodeLine(line, Buffer.concat(held), byte_count > max_bytes ? max_bytes : null);
    held = [];
    byte_count = 0;
    return taken;
  };
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      hold(chunk.subarray(start, end));
      const taken = take();
      if (taken) yield taken;
      line += 1;
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  const taken = take();
  if (taken) yield taken;
}

/** @param max_bytes the limit that the line exceeds, null when it does not */
function decodeLine(line: number, bytes: Buffer, max_bytes: number | null): Line | undefined {
  if (max_bytes !== null) {
    return { line, reason: `a line of more than ${max_bytes} bytes`, raw: shorten(bytes) };
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: line > 1 }).decode(bytes).trim();
  } catch {
    return { line, reason: 'not UTF-8', raw: shorten(bytes) };
  }
  if (text === '') return undefined;
  if (text.includes('\0')) return { line, reason: 'a NUL byte', raw: shorten(bytes) };
  return { line, text };
}

function shorten(bytes: Buffer): string {
  return bytes.toString('utf8', 0, RAW_LENGTH).replaceAll('\0', '␀').trimEnd();
}
