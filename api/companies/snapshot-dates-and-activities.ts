import type { SnapshotWords } from './snapshot-dictionary.ts';
import { dateColumns, type LabelledDate, type SnapshotEntry } from './snapshot-entry.ts';

/** Returns the dates of an entry, each with a label from the country's `country_word.csv`. */
export function listDates(entry: SnapshotEntry, { words, lang }: SnapshotWords): LabelledDate[] {
  // If an entry vanished from its registry's dump, the first dump without the entry gives its date `struck_off_date`.
  const dated = { ...entry, struck_off_date: entry.struck_off_date ?? entry.gone_date };
  return dateColumns.flatMap((column) => {
    const date = dated[column];
    const type = words.find(entry.country_code, column, lang) ?? column;
    return date === null ? [] : { type, date };
  });
}

/** Returns the codes of an entry's activities with their names. */
export function viewActivities(entry: SnapshotEntry, { activities }: SnapshotWords) {
  const { activity_version, activity_main, activity_codes } = entry;
  // The main activity comes first in the list of activities, and is not repeated.
  const codes = new Set([activity_main ?? '', ...activity_codes.split(',')]);
  codes.delete('');
  return [...codes].map((code) => {
    // A class (`4711`, in old entries) without a name of its own gets the name of its group (`471`).
    const keys = code.length === 4 ? [code, code.slice(0, 3)] : [code];
    const named = keys.map((key) => activities.get(`${activity_version} ${key}`)).find(Boolean);
    return { code, name: named?.name ?? '', is_primary: code === activity_main };
  });
}
