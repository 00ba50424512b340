import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { ColumnForm, SourceColumn } from './source.ts';

/** The rows of a CSV file with a header. */
export function readTable<Column extends string>(file: URL): Record<Column, string>[] {
  return parse<Record<Column, string>>(readFileSync(file), { columns: true });
}

/** What the list of the columns of a source says of each, with `digits` where a file may be typed. */
export type ColumnField = 'header' | 'column' | 'form' | 'is_optional' | 'tells';

export function describeColumn({
  header,
  column,
  digits = '',
  form,
  is_optional,
  tells,
}: Record<ColumnField, string> & { digits?: string }): SourceColumn {
  return {
    header,
    column,
    is_optional: is_optional === 'true',
    ...(digits === '' ? {} : { digits: Number(digits) }),
    ...(form === '' ? {} : { form: form as ColumnForm }),
    ...(tells === '' ? {} : { tells: tells.split(' ') }),
  };
}
