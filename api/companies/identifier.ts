import { z } from 'zod';
import { identifierType } from '../dictionaries/names.ts';
import { model } from '../endpoint/answers.ts';

/** The official numbers of a company or of an entry, as the function `registry.shown_numbers` returns them. */
export interface Numbers {
  identifiers: { type: string; value: string; rank: number }[];
}

/** An official number of a company and its type, as answers show it. */
export const identifier = model('Identifier', { type: identifierType, value: z.string() });

export const companyStatus = z
  .enum(['ACTIVE', 'SUSPENDED', 'DELETED'])
  .meta({ id: 'CompanyStatus' });

/** Removes spaces and dashes from a number. */
export function digitsOf(number: string): string {
  return number.replaceAll(/[\s\u2010-\u2015-]/g, '');
}

/** The maximum length, in characters, of a number as a client writes it, with spaces and dashes. */
export const maxCharacters = 50;

/** Checks a number as a client writes it, with spaces and dashes. */
export const writtenNumber = z.string().max(maxCharacters);

/** Checks a number that a client writes, and removes its spaces and dashes. */
export const identifierValue = writtenNumber
  .transform(digitsOf)
  .meta({ type: 'string', maxLength: maxCharacters });

/** The permanent reference of a company in answers, which clients must not interpret. */
export const companyRef = z.string().max(maxCharacters).meta({ id: 'CompanyRef' });

/** Returns the distinct values in some columns of rows, ordered by column, then by row. */
export function listValues<Column extends string>(
  rows: readonly Record<Column, string | null>[],
  columns: readonly Column[],
): { type: Column; value: string }[] {
  return columns.flatMap((type) => {
    const values = new Set(rows.map((row) => row[type]).filter((value) => value !== null));
    return [...values].map((value) => ({ type, value }));
  });
}

/** Returns the distinct numbers of a company's entries, ordered by the rank of their types, then by entry. */
export function identifiersOf(entries: readonly Numbers[]) {
  const all = entries.flatMap(({ identifiers }) => identifiers);
  const sorted = all.toSorted((one, other) => one.rank - other.rank);
  const byText = new Map(sorted.map(({ type, value }) => [`${type} ${value}`, { type, value }]));
  return [...byText.values()];
}
