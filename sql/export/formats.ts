import { writeCsv } from './csv.ts';
import { writeParquet } from './parquet.ts';
import type { WriteRows } from './write-rows.ts';

/** The functions that write rows, by the ending of the file. Parquet needs an open transaction. */
export const writers = { csv: writeCsv, parquet: writeParquet } satisfies Record<string, WriteRows>;

export type Format = keyof typeof writers;

export function isFormat(format: string): format is Format {
  return Object.hasOwn(writers, format);
}
