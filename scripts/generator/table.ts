import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** The rows of a CSV file below its header; `path` is relative to this folder. */
export function readRows(path: string): string[][] {
  return parse(readFileSync(new URL(path, import.meta.url)), { from_line: 2 });
}

const words = readRows('word.csv');

/** One list of `word.csv`. */
export function readWords(list: string): string[] {
  return words.filter(([of]) => of === list).map(([, word]) => word!);
}
