import type { ColumnType, JSONColumnType } from 'kysely';

// What the driver gives and takes: `bigint` is text on the way out, so that no digit is lost, and a
// `date` is text both ways (YYYY-MM-DD).
export type BigInteger = ColumnType<string, string | number | bigint>;
/** Assigned by the table. */
export type Identity = ColumnType<string, never, never>;
export type Counter = ColumnType<
  string,
  string | number | bigint | undefined,
  string | number | bigint
>;
export type Optional<Type> = ColumnType<Type | null, Type | null | undefined>;
export type Json = JSONColumnType<Record<string, unknown>>;
