import { maskPersonalNumbers } from './personal-number.ts';

export const REJECT_BATCH = 1000;
/** At most this many unreadable rows per file. A file of another kind could fill the disk with them. */
export const UNREADABLE_ROWS = 100_000;

/** The codes of `reject_code.csv` for which a reader rejects; the mapping has further ones. */
export type RejectCode = 'damaged_row' | 'unreadable_answer' | 'no_name' | 'invalid_krs';

/** A record, or an answer, that cannot be read. */
export interface UnreadableRow {
  file_no: number;
  line: number;
  reject_code: RejectCode;
  reason: string;
  /** The record as written, shortened. */
  raw: string;
}

/** At most this many characters of a record or an answer are kept; reject.sql has the same limit. */
const RAW_LENGTH = 4000;

/** Returns the part of a text that the database keeps, without personal numbers, and without half of one. */
export function shorten(raw: string | Buffer, length = RAW_LENGTH): string {
  const text = typeof raw === 'string' ? raw : raw.toString('utf8', 0, length);
  const part = raw.length > length ? text.slice(0, length).replace(/\d+$/, '') : text;
  return maskPersonalNumbers(part).toWellFormed().replaceAll('\0', '␀').trimEnd();
}
