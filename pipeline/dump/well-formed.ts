import { areNipDigits, areRegon9Digits } from '../../sql/country/pl/check-digit.ts';
import type { ColumnForm } from '../sources/source.ts';
import type { RecordScanner } from './record-scanner.ts';

const [zero, nine, firstLetter, lastLetter, dash, dot] = Buffer.from('09AZ-.');
const activityLength = 5;
const activitySeparator = Buffer.from('$##$');

/** The check of each form: returns whether data[start, end), which is not empty, has the form. */
const hasForm: Record<ColumnForm, (data: Uint8Array, start: number, end: number) => boolean> = {
  nip: (data, start, end) => end - start === 10 && areNipDigits(data, start),
  // The last five of the 14 digits of a REGON are the number of a local unit.
  regon: (data, start, end) =>
    (end - start === 9 || (end - start === 14 && areDigits(data, start + 9, end))) &&
    areRegon9Digits(data, start),
  activity: (data, start, end) => end - start === activityLength && isActivity(data, start),
  activities: areActivities,
  dotted_activity: (data, start, end) =>
    end - start === activityLength + 1 &&
    data[start + 2] === dot &&
    areDigits(data, start, start + 2) &&
    areDigits(data, start + 3, start + 5) &&
    isLetter(data[start + 5]!),
  date: (data, start, end) => end - start === 10 && isDate(data, start),
};

/** The columns of a file that have a form. `at` is the index of the field in a record. */
export type FormedColumns = readonly { at: number; form: ColumnForm }[];

/** Checks whether every field of `columns` is blank or has its form. SQL would take 100 times as long. */
export function isWellFormed(
  columns: FormedColumns,
  data: Uint8Array,
  start: number,
  { ends, field_count }: RecordScanner,
): boolean {
  for (const { at, form } of columns) {
    if (at >= field_count) return false;
    const from = at === 0 ? start : ends[at - 1]! + 1;
    const to = ends[at]!;
    if (to > from && !hasForm[form](data, from, to)) return false;
  }
  return true;
}

function areActivities(data: Uint8Array, start: number, end: number): boolean {
  for (let at = start; ;) {
    if (end - at < activityLength || !isActivity(data, at)) return false;
    at += activityLength;
    if (at === end) return true;
    for (const byte of activitySeparator) if (data[at++] !== byte) return false;
  }
}

/** Checks for an activity code: four digits and a letter. */
function isActivity(data: Uint8Array, at: number): boolean {
  return areDigits(data, at, at + 4) && isLetter(data[at + 4]!);
}

function isLetter(byte: number): boolean {
  return byte >= firstLetter! && byte <= lastLetter!;
}

/** The number of days of each month of a common year. */
const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Checks for a date YYYY-MM-DD between 1900 and 2099. Returns false for 29 February, which SQL checks. */
function isDate(data: Uint8Array, at: number): boolean {
  if (data[at + 4] !== dash || data[at + 7] !== dash) return false;
  if (!areDigits(data, at, at + 4) || !areDigits(data, at + 5, at + 7)) return false;
  if (!areDigits(data, at + 8, at + 10)) return false;
  const century = numberAt(data, at);
  const month = numberAt(data, at + 5);
  const day = numberAt(data, at + 8);
  if (century !== 19 && century !== 20) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonths[month - 1]!;
}

/** Returns the value of two digits. */
function numberAt(data: Uint8Array, at: number): number {
  return (data[at]! - zero!) * 10 + data[at + 1]! - zero!;
}

function areDigits(data: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (data[at]! < zero! || data[at]! > nine!) return false;
  }
  return true;
}
