import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** The rows of a CSV file below its header; `path` is relative to this folder. */
export function readRows(path: string): string[][] {
  return parse(readFileSync(new URL(path, import.meta.url)), { from_line: 2 });
}

/** One list of a file of words. */
export function readWords(list: string, path = 'word.csv'): string[] {
  return readRows(path)
    .filter(([of]) => of === list)
    .map(([, word]) => word!);
}
