import type { ColumnForm, SourceColumn, TableColumns } from '../source.ts';
import { readTable } from '../table.ts';

/** The columns of a table, from its `.csv`; one without a name of ours is known, and not read. */
function readColumns(name: string): TableColumns {
  const rows = readTable<'header' | 'column' | 'digits' | 'form' | 'is_optional'>(
    new URL(`${name}.csv`, import.meta.url),
  );
  const columns = rows.filter(({ column }) => column !== '');
  return {
    columns: columns.map(({ header, column, digits, form, is_optional }): SourceColumn => ({
      header,
      column,
      is_optional: is_optional === 'true',
      ...(digits === '' ? {} : { digits: Number(digits) }),
      ...(form === '' ? {} : { form: form as ColumnForm }),
    })),
    ignored: rows.flatMap(({ header, column }) => (column === '' ? [header] : [])),
  };
}

/** Of StockUniteLegale. */
export const unitColumns = readColumns('unit');
/** Of StockEtablissement. */
export const establishmentColumns = readColumns('establishment');
