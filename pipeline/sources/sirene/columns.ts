import type { TableColumns } from '../source.ts';
import { type ColumnField, describeColumn, readTable } from '../table.ts';

/** Reads the columns of a stock file from its `.csv`; a column without a name of ours is known, but not read. */
function readColumns(name: string): TableColumns {
  const rows = readTable<ColumnField | 'digits'>(new URL(`${name}.csv`, import.meta.url));
  return {
    columns: rows.filter(({ column }) => column !== '').map(describeColumn),
    ignored: rows.flatMap(({ header, column }) => (column === '' ? [header] : [])),
  };
}

/** The columns of StockUniteLegale. */
export const unitColumns = readColumns('unit');
/** The columns of StockEtablissement. */
export const establishmentColumns = readColumns('establishment');
