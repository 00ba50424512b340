import { z } from 'zod';
import { identifierType } from '../dictionaries/names.ts';
import { model } from '../endpoint/answers.ts';

/** The official numbers of a company or of an entry, as the function `registry.shown_numbers` returns them. */
export interface Numbers {
  identifiers: { type: string; value: string; rank: number }[];
}

/** The schema of an official number of a company, with its type, in answers. */
export const identifier = model('Identifier', { type: identifierType, value: z.string() });

export const companyStatus = z
  .enum(['ACTIVE', 'SUSPENDED', 'DELETED'])
  .meta({ id: 'CompanyStatus' });

/** Returns a company number without its spaces and dashes. */
export function digitsOf(number: string): string {
  return number.replaceAll(/[\s\u2010-\u2015-]/g, '');
}

/** The maximum length, in characters, of a company number in a request, including spaces and dashes. */
export const maxCharacters = 50;

/** Checks the length of a company number in a request; spaces and dashes are allowed. */
export const writtenNumber = z.string().max(maxCharacters);

/** Checks the length of a company number in a request, and removes its spaces and dashes. */
export const identifierValue = writtenNumber
  .transform(digitsOf)
  .meta({ type: 'string', maxLength: maxCharacters });

/** Checks a `company_ref`, the permanent reference of a company, whose characters have no meaning for clients. */
export const companyRef = z.string().max(maxCharacters).meta({ id: 'CompanyRef' });

/** Returns the distinct values in the given columns of `rows`, each with its column; ordered by column, then by row. */
export function listValues<Column extends string>(
  rows: readonly Record<Column, string | null>[],
  columns: readonly Column[],
): { type: Column; value: string }[] {
  return columns.flatMap((type) => {
    const values = new Set(rows.map((row) => row[type]).filter((value) => value !== null));
    return [...values].map((value) => ({ type, value }));
  });
}

/** Returns the distinct numbers of a company's entries, ordered by the rank of the identifier type, then by entry. */
export function identifiersOf(entries: readonly Numbers[]) {
  const all = entries.flatMap(({ identifiers }) => identifiers);
  const sorted = all.toSorted((one, other) => one.rank - other.rank);
  const byText = new Map(sorted.map(({ type, value }) => [`${type} ${value}`, { type, value }]));
  return [...byText.values()];
}
