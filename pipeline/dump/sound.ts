import { areNipDigits, areRegon9Digits } from '../../sql/check-digit.ts';

/** What the fields of a column look like in nearly all records. */
export type ColumnForm = 'nip' | 'regon' | 'activity' | 'activities';

const [zero, nine, firstLetter, lastLetter] = Buffer.from('09AZ') as unknown as number[];
const activityLength = 5;
const activitySeparator = Buffer.from('$##$');

/** Whether data[start, end), which is not empty, has the form. */
const hasForm: Record<ColumnForm, (data: Uint8Array, start: number, end: number) => boolean> = {
  nip: (data, start, end) => end - start === 10 && areNipDigits(data, start),
  // Of 14 digits the last five number a unit.
  regon: (data, start, end) =>
    (end - start === 9 || (end - start === 14 && areDigits(data, start + 9, end))) &&
    areRegon9Digits(data, start),
  activity: (data, start, end) => end - start === activityLength && isActivity(data, start),
  activities: areActivities,
};

/** The columns of a file that have a form, by their place in a record. */
export type FormedColumns = readonly { at: number; form: ColumnForm }[];

/**
 * Whether all fields of the columns are blank or have their form, so that SQL need not look whether they
 * are valid, nor what to take out of them: that takes a hundred times as long.
 *
 * @param ends where each field of the record ends that begins at `start`
 */
export function isSound(
  columns: FormedColumns,
  data: Uint8Array,
  start: number,
  ends: Uint32Array,
): boolean {
  for (const { at, form } of columns) {
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

/** Four digits and a letter. */
function isActivity(data: Uint8Array, at: number): boolean {
  const letter = data[at + 4]!;
  return areDigits(data, at, at + 4) && letter >= firstLetter! && letter <= lastLetter!;
}

function areDigits(data: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (data[at]! < zero! || data[at]! > nine!) return false;
  }
  return true;
}
