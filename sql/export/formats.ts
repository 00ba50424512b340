import { writeCsv } from './csv.ts';
import { writeParquet } from './parquet.ts';

/** The functions that write rows to a file, by its extension. `writeParquet` needs an open transaction. */
export const writers = { csv: writeCsv, parquet: writeParquet };

export type Format = keyof typeof writers;

export function isFormat(format: string): format is Format {
  return Object.hasOwn(writers, format);
}
