import type { ColumnType, JSONColumnType } from 'kysely';

// What the driver gives and takes: `bigint` is text on the way out, so that no digit is lost, and a
// `date` is text both ways (YYYY-MM-DD).
type WholeNumber = string | number | bigint;
export type BigInteger = ColumnType<string, WholeNumber>;
/** Assigned by the table. */
export type Identity = ColumnType<string, never, never>;
export type Counter = ColumnType<string, WholeNumber | undefined, WholeNumber>;
export type Optional<Type> = ColumnType<Type | null, Type | null | undefined>;
export type Json = JSONColumnType<Record<string, unknown>>;
