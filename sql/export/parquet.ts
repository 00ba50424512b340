import type { SchemaElement } from 'hyparquet';
import { ByteWriter, parquetWriteRows, type Writer } from 'hyparquet-writer';
import type { ClientBase } from 'pg';
import type { Put } from './csv.ts';

/** The number of rows in a row group of a Parquet file; the writer holds a whole row group in memory. */
const groupRows = 20_000;

/** The Parquet type of a column; `parse` converts a value from the text that Postgres writes. */
interface ColumnType {
  element: Omit<SchemaElement, 'name'>;
  parse: (text: string) => unknown;
}

// The Parquet types of columns, by the type ids (OIDs) of Postgres. Values of types that are not listed, such as lists
// and JSON, become the text that psql shows.
const columnTypes: Record<number, ColumnType> = {
  16: { element: { type: 'BOOLEAN' }, parse: (text) => text === 't' },
  20: { element: { type: 'INT64' }, parse: BigInt },
  21: { element: { type: 'INT32' }, parse: Number },
  23: { element: { type: 'INT32' }, parse: Number },
  1082: {
    element: { type: 'INT32', converted_type: 'DATE' },
    // The days infinity and -infinity become null, because a Parquet date has no number for them.
    parse: (text) => (text.endsWith('infinity') ? null : new Date(`${text}T00:00:00Z`)),
  },
  1184: {
    // A program that ignores `logical_type` uses `converted_type`, which states no time zone.
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    parse: (text) => new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
  },
};

const textType: ColumnType = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  parse: (text) => text,
};

const typeOf = (oid: number): ColumnType => columnTypes[oid] ?? textType;

/** Returns a Parquet writer that gives each complete row group to `put`. */
export function writerTo(put: Put): Writer {
  const writer = new ByteWriter();
  const flush = async () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    await put(bytes);
  };
  return Object.assign(writer, { flush, finish: flush });
}

/** Writes the rows of a query as Parquet in the transaction of `client`, and returns the number of rows. */
export async function writeParquet(client: ClientBase, query: string, put: Put): Promise<number> {
  await client.query(`declare exported no scroll cursor for ${query}`);
  const fetch = (count: number) =>
    client.query<Record<string, unknown>>({
      text: `fetch ${count} from exported`,
      types: { getTypeParser: (oid: number) => typeOf(oid).parse },
    });
  const { fields } = await fetch(0);
  let rowCount = 0;
  async function* read() {
    for (;;) {
      const { rows } = await fetch(groupRows);
      if (rows.length === 0) return;
      rowCount += rows.length;
      yield* rows;
    }
  }
  await parquetWriteRows({
    writer: writerTo(put),
    rows: read(),
    columns: fields.map(({ name }) => ({ name })),
    schema: [
      { name: 'root', num_children: fields.length },
      ...fields.map(({ name, dataTypeID }) => ({
        ...typeOf(dataTypeID).element,
        name,
        repetition_type: 'OPTIONAL' as const,
      })),
    ],
    rowGroupSize: groupRows,
  });
  return rowCount;
}
