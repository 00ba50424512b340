import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** The rows of a CSV file with a header. */
export function readTable<Column extends string>(file: URL): Record<Column, string>[] {
  return parse<Record<Column, string>>(readFileSync(file), { columns: true });
}
