import type { TableColumns } from '../source.ts';
import { type ColumnField, describeColumn, readTable } from '../table.ts';

/** The columns of a table, from its `.csv`; one without a name of ours is known, and not read. */
function readColumns(name: string): TableColumns {
  const rows = readTable<ColumnField | 'digits'>(new URL(`${name}.csv`, import.meta.url));
  return {
    columns: rows.filter(({ column }) => column !== '').map(describeColumn),
    ignored: rows.flatMap(({ header, column }) => (column === '' ? [header] : [])),
  };
}

/** Of StockUniteLegale. */
export const unitColumns = readColumns('unit');
/** Of StockEtablissement. */
export const establishmentColumns = readColumns('establishment');
