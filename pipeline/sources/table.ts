import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { ColumnForm, TableColumns } from './source.ts';

/** Returns the rows of a CSV file as objects, whose keys are the names in the header. */
export function readTable<Column extends string>(file: URL): Record<Column, string>[] {
  return parse<Record<Column, string>>(readFileSync(file), { columns: true });
}

/** Returns the columns that a CSV file lists. A row with a blank `column` is a known header that is not read. */
export function readColumns(file: URL): TableColumns {
  const rows = readTable<'header' | 'column' | 'digits' | 'form' | 'is_optional' | 'tells'>(file);
  const read = rows.filter(({ column }) => column !== '');
  return {
    columns: read.map(({ header, column, digits, form, is_optional, tells }) => ({
      header,
      column,
      is_optional: is_optional === 'true',
      // Only a source with typed files, such as Parquet, states the number of digits.
      ...(digits && { digits: Number(digits) }),
      ...(form && { form: form as ColumnForm }),
      ...(tells && { tells: tells.split(' ') }),
    })),
    ignored: rows.flatMap(({ header, column }) => (column === '' ? [header] : [])),
  };
}
