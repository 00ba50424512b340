import { reads } from '../figures/dump-reading-limits.ts';
import { maskPersonalNumbers } from './personal-number.ts';

/** The codes in `reject_code.csv` with which TypeScript rejects a record; the mapping in SQL uses further codes. */
export type RejectCode =
  'damaged_row' | 'unreadable_answer' | 'no_name' | 'invalid_krs' | 'invalid_regon';

/** A record or an answer of a registry that cannot be read. */
export interface UnreadableRow {
  file_no: number;
  line: number;
  reject_code: RejectCode;
  reason: string;
  /** The beginning of the record or answer, as written in the file. */
  raw: string;
}

/**
 * Returns the beginning of a rejected text, which the database stores. Masks each PESEL. Removes digits at the end of a
 * shortened text, because the digits may be part of a PESEL.
 */
export function shorten(raw: string | Buffer, length = reads.rawLength): string {
  const text = typeof raw === 'string' ? raw : raw.toString('utf8', 0, length);
  const part = raw.length > length ? text.slice(0, length).replace(/\d+$/, '') : text;
  return maskPersonalNumbers(part).toWellFormed().replaceAll('\0', '␀').trimEnd();
}
