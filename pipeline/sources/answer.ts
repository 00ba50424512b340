import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { type RejectCode, shorten } from './rejects.ts';
import type { Answer, AnswerFile } from './source.ts';

/** The error of an answer that cannot be used; its message becomes the reason of the reject. */
export class UnusableAnswer extends Error {
  override name = 'UnusableAnswer';
  readonly reject_code: RejectCode;

  constructor(reason: string, reject_code: RejectCode = 'unreadable_answer') {
    super(reason);
    this.reject_code = reject_code;
  }
}

/** A value that the product does not know, such as a field that no table of its source names. */
export interface OddValue {
  subject: string;
  value: string;
}

/** Parses JSON. Throws an `UnusableAnswer` for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableAnswer('not JSON');
  }
}

/** Reads a whole file as one answer. @param what the name of the content in a reject, such as `an answer` */
export async function readWhole(
  { path, onRead }: AnswerFile,
  what: string,
  max_bytes: number,
  read: (bytes: Buffer) => object,
): Promise<Answer> {
  const { size } = await stat(path);
  if (size > max_bytes) {
    return reject(1, '', `${what} of more than ${max_bytes} bytes`);
  }
  const bytes = await readFile(path);
  onRead?.(size);
  return readAnswer(1, bytes, () => read(bytes));
}

/**
 * Yields the answers of a UTF-8 file that holds one answer a line. Skips blank lines and a byte order mark.
 * Memory never holds the whole of a longer line.
 *
 * @param max_bytes the size of the longest line that is read; a longer line is yielded as unreadable
 */
export async function* readEachLine(
  { path, onRead }: AnswerFile,
  max_bytes: number,
  read: (text: string) => object,
): AsyncGenerator<Answer> {
  let line = 1;
  let held: Buffer[] = [];
  let byte_count = 0;
  const hold = (bytes: Buffer): void => {
    // The reject of a long line needs only the beginning of the line.
    if (byte_count <= max_bytes) held.push(bytes);
    byte_count += bytes.length;
  };
  const take = (): Answer | undefined => {
    const bytes = Buffer.concat(held);
    const isLong = byte_count > max_bytes;
    held = [];
    byte_count = 0;
    if (!isLong) return readLine(line, bytes, read);
    return reject(line, bytes, `a line of more than ${max_bytes} bytes`);
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    onRead?.(chunk.length);
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      hold(chunk.subarray(start, end));
      const answer = take();
      if (answer) yield answer;
      line += 1;
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  const answer = take();
  if (answer) yield answer;
}

/** Reads one line as an answer; returns undefined for a blank line. */
function readLine(line: number, bytes: Buffer, read: (text: string) => object): Answer | undefined {
  if (!isUtf8(bytes)) return reject(line, bytes, 'not UTF-8', 'damaged_row');
  const text = new TextDecoder('utf-8', { ignoreBOM: line > 1 }).decode(bytes).trim();
  if (text === '') return undefined;
  if (text.includes('\0')) return reject(line, bytes, 'a NUL byte', 'damaged_row');
  return readAnswer(line, text, () => read(text));
}

function readAnswer(line: number, written: string | Buffer, read: () => object): Answer {
  try {
    const answer = read();
    const fault = findFault(answer);
    if (fault !== undefined) return reject(line, written, fault);
    return { line, raw: shorten(written), answer };
  } catch (error) {
    if (!(error instanceof UnusableAnswer)) throw error;
    return reject(line, written, error.message, error.reject_code);
  }
}

/** Returns a rejected answer with its line, its shortened text and the reason. */
export function reject(
  line: number,
  written: string | Buffer,
  reason: string,
  reject_code: RejectCode = 'unreadable_answer',
): Answer {
  return { line, raw: shorten(written), reject_code, reason };
}

/** Returns the reason why PostgreSQL would refuse a value as jsonb, or undefined. */
export function findFault(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'a NUL character';
    return value.isWellFormed() ? undefined : 'half a character of UTF-16';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const fault = findFault(key) ?? findFault(member);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Names a text that should be data, such as `a page of HTML`; returns undefined for any other text. */
export function describeText(text: string): string | undefined {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (start === '') return 'an empty answer';
  return /^<(?:!doctype )?html/.test(start) ? 'a page of HTML' : undefined;
}
