import { areNipDigits, areRegon9Digits } from '../../sql/check-digit.ts';
import type { RecordScanner } from './record-scanner.ts';

const patterns = {
  nip: /^\d{10}$/,
  // The last five of 14 digits are the number of a unit.
  regon: /^\d{9}(\d{5})?$/,
  activity: /^\d{4}[A-Z]$/,
  activities: /^\d{4}[A-Z](\$##\$\d{4}[A-Z])*$/,
  // From 1900 to 2099, without 29 February, which SQL checks.
  date: /^(19|20)\d\d-((0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)$/,
};

/** The form that the fields of a column have in nearly all records. */
export type ColumnForm = keyof typeof patterns;

/** The columns of a file that have a form. `at`: the index of the field in a record. */
export type FormedColumns = readonly { at: number; form: ColumnForm }[];

/** Whether every field of these columns is blank or has its form. SQL would take 100 times as long. */
export function isWellFormed(
  columns: FormedColumns,
  data: Buffer,
  start: number,
  { ends, field_count }: RecordScanner,
): boolean {
  return columns.every(({ at, form }) => {
    if (at >= field_count) return false;
    const from = at === 0 ? start : ends[at - 1]! + 1;
    const to = ends[at]!;
    if (to === from) return true;
    if (!patterns[form].test(data.toString('latin1', from, to))) return false;
    if (form === 'nip') return areNipDigits(data, from);
    return form !== 'regon' || areRegon9Digits(data, from);
  });
}
