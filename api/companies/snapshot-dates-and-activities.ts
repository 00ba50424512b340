import type { SnapshotWords } from './snapshot-dictionary.ts';
import { dateColumns, type LabelledDate, type SnapshotEntry } from './snapshot-entry.ts';

/** Returns the dates in the columns of an entry, with labels from the country's `country_word.csv`. */
export function listDates(entry: SnapshotEntry, { words, lang }: SnapshotWords): LabelledDate[] {
  // An entry that vanished from its registry counts as struck off on the first day without the entry.
  const dated = { ...entry, struck_off_date: entry.struck_off_date ?? entry.gone_date };
  return dateColumns.flatMap((column) => {
    const date = dated[column];
    const type = words.find(entry.country_code, column, lang) ?? column;
    return date === null ? [] : { type, date };
  });
}

/** Returns the activities of an entry with their names. */
export function viewActivities(entry: SnapshotEntry, { activities }: SnapshotWords) {
  const { activity_version, activity_main, activity_codes } = entry;
  // The main activity comes first in the list of activities, and is not repeated.
  const codes = new Set([activity_main ?? '', ...activity_codes.split(',')]);
  codes.delete('');
  return [...codes].map((code) => {
    // Old entries hold activity codes of divisions, groups and classes. A class without a name gets its group's name.
    const keys = code.length === 4 ? [code, code.slice(0, 3)] : [code];
    const named = keys.map((key) => activities.get(`${activity_version} ${key}`)).find(Boolean);
    return { code, name: named?.name ?? '', is_primary: code === activity_main };
  });
}
