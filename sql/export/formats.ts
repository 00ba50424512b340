import { writeCsv } from './csv.ts';
import { writeParquet } from './parquet.ts';

/** The functions that write a query's rows to a file, by file extension. `writeParquet` needs an open transaction. */
export const writers = { csv: writeCsv, parquet: writeParquet };

export type Format = keyof typeof writers;

export function isFormat(format: string): format is Format {
  return Object.hasOwn(writers, format);
}
