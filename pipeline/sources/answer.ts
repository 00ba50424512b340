import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { type RejectCode, shorten } from './rejects.ts';
import type { Answer, AnswerFile } from './source.ts';

/** The error for an answer that cannot be used. The error message is stored as the reason of the rejection. */
export class UnusableAnswer extends Error {
  override name = 'UnusableAnswer';
  readonly reject_code: RejectCode;

  constructor(reason: string, reject_code: RejectCode = 'unreadable_answer') {
    super(reason);
    this.reject_code = reject_code;
  }
}

/** A field or value in an answer that the product does not know, and that the run notes. */
export interface OddValue {
  subject: string;
  value: string;
}

/** The maximum depth of nested lists and objects in a registry's answer. Full extracts of KRS have depth twelve. */
const MOST_LEVELS = 64;

/** Parses JSON. Throws an `UnusableAnswer` if the JSON is invalid, or if it is nested deeper than `MOST_LEVELS`. */
export function parseJson(text: string): unknown {
  if (countLevels(text) > MOST_LEVELS) {
    throw new UnusableAnswer(`more than ${MOST_LEVELS} levels deep`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UnusableAnswer(describeText(text) ?? 'not JSON');
  }
}

/** Returns how deep lists and objects are nested in a JSON text, but counts no further than `MOST_LEVELS` + 1. */
function countLevels(text: string): number {
  let level = 0;
  let deepest = 0;
  for (const [sign] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (sign === '{' || sign === '[') deepest = Math.max(deepest, (level += 1));
    else if (sign === '}' || sign === ']') level -= 1;
    if (deepest > MOST_LEVELS) break;
  }
  return deepest;
}

/**
 * Yields the answers of a registry in a UTF-8 file. A `.json` or `.xml` file is one answer; any other file has one
 * answer per line. Skips blank lines. Keeps at most `max_bytes` of an answer, plus one chunk of the file, in memory.
 *
 * @param max_bytes the maximum size of an answer in bytes; a longer answer is rejected
 */
export async function* readEach(
  { path, file, onRead }: AnswerFile,
  max_bytes: number,
  read: (text: string) => object,
): AsyncGenerator<Answer> {
  const isWhole = /\.(?:json|xml)$/i.test(file);
  let line = 1;
  let held: Buffer[] = [];
  let byte_count = 0;
  const hold = (bytes: Buffer): void => {
    // Of an answer of more than `max_bytes`, only the beginning is kept, for the list of rejects.
    if (byte_count <= max_bytes) held.push(bytes);
    byte_count += bytes.length;
  };
  const take = (): Answer | undefined => {
    const bytes = Buffer.concat(held);
    const isLong = byte_count > max_bytes;
    held = [];
    byte_count = 0;
    if (!isLong) return readAnswer(line, bytes, read);
    return reject(line, bytes, `an answer of more than ${max_bytes} bytes`);
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    onRead?.(chunk.length);
    let start = 0;
    for (let end = isWhole ? -1 : chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      hold(chunk.subarray(start, end));
      const answer = take();
      if (answer) yield answer;
      line += 1;
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  const answer = take() ?? (isWhole ? reject(1, '', 'an empty answer') : undefined);
  if (answer) yield answer;
}

/** Parses the bytes of one answer; returns undefined if the bytes are only white space. */
function readAnswer(
  line: number,
  bytes: Buffer,
  read: (text: string) => object,
): Answer | undefined {
  if (!isUtf8(bytes)) return reject(line, bytes, 'not UTF-8', 'damaged_row');
  // `trim` also removes a byte order mark at the start of the file.
  const text = bytes.toString().trim();
  if (text === '') return undefined;
  if (text.includes('\0')) return reject(line, bytes, 'a NUL byte', 'damaged_row');
  try {
    const answer = read(text);
    const fault = findFault(answer);
    if (fault !== undefined) return reject(line, text, fault);
    return { line, raw: shorten(text), answer };
  } catch (error) {
    if (!(error instanceof UnusableAnswer)) throw error;
    return reject(line, text, error.message, error.reject_code);
  }
}

/** Returns an answer as a reject: its line, its shortened text, and the code and reason of the reject. */
export function reject(
  line: number,
  written: string | Buffer,
  reason: string,
  reject_code: RejectCode = 'unreadable_answer',
): Answer {
  return { line, raw: shorten(written), reject_code, reason };
}

/** Returns the reason why PostgreSQL would refuse a value as jsonb, or undefined if PostgreSQL accepts the value. */
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

/** Returns `a page of HTML` or `an empty answer` if the text of an answer is one of the two, else undefined. */
export function describeText(text: string): string | undefined {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (start === '') return 'an empty answer';
  return /^<(?:!doctype )?html/.test(start) ? 'a page of HTML' : undefined;
}
