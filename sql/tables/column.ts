import type { ColumnType, JSONColumnType } from 'kysely';

// The driver returns `bigint` as text, so that no digit is lost. A `date` is a text of the form YYYY-MM-DD.
type WholeNumber = string | number | bigint;
export type BigInteger = ColumnType<string, WholeNumber>;
/** An id that the database assigns: Kysely can read the id, but not write it. */
export type Identity = ColumnType<string, never, never>;
export type Counter = ColumnType<string, WholeNumber | undefined, WholeNumber>;
export type Optional<Type> = ColumnType<Type | null, Type | null | undefined>;
export type Json = JSONColumnType<Record<string, unknown>>;
