import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { ColumnForm, SourceColumn } from './source.ts';

/** Reads the rows of a CSV file with a header. */
export function readTable<Column extends string>(file: URL): Record<Column, string>[] {
  return parse<Record<Column, string>>(readFileSync(file), { columns: true });
}

/** The fields of a column in a source's list of columns; a source of typed files has `digits` too. */
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
