import { z } from 'zod';
import { model } from '../endpoint/answers.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { identifierType, readIdentifierTypes } from '../dictionaries/names.ts';
import { createBatch } from '../http/batch.ts';
import type { Context } from '../http/context.ts';
import { coded, type FieldCode, type Problem } from '../http/errors.ts';
import { keep } from '../http/keep.ts';

/** The numbers of a company or of one of its entries, as `registry.shown_numbers` returns them. */
export interface Numbers {
  identifiers: { type: string; value: string; rank: number }[];
}

/** A number and its type, as answers show it. */
export const identifier = model('Identifier', { type: identifierType, value: z.string() });

export const companyStatus = z
  .enum(['ACTIVE', 'SUSPENDED', 'DELETED'])
  .meta({ id: 'CompanyStatus' });

/** Removes spaces and dashes from a number. */
export function digitsOf(number: string): string {
  return number.replaceAll(/[\s\u2010-\u2015-]/g, '');
}

const maxCharacters = 50;

/** A number as a client writes it, such as an item of a list. */
export const writtenNumber = z.string().max(maxCharacters);

/** A number without the spaces and dashes that a client may write. */
export const identifierValue = writtenNumber
  .transform(digitsOf)
  .meta({ type: 'string', maxLength: maxCharacters });

/** The permanent reference of a company in answers. Clients must not interpret its text. */
export const companyRef = z.string().max(maxCharacters).meta({ id: 'CompanyRef' });

/** Adds an issue to the checks of a body or of an item of a list. `validate.ts` words its message with the whole path. */
export function refuse(
  context: z.core.$RefinementCtx,
  path: (string | number)[],
  wrong: string,
  code: FieldCode,
) {
  context.addIssue({ code: 'custom', path, ...coded(code, `${wrong}.`) });
}

/** The names of two fields of a body: an identifier type, and its number or list of numbers. */
type Pair = readonly [typeField: string, valueField: string];

const usualPair: Pair = ['identifier_type', 'identifier_value'];

/** Adds an issue when a body has only one of an optional identifier type and its numbers. */
export function checkPair(
  body: Record<string, unknown>,
  context: z.core.$RefinementCtx,
  [typeField, valueField]: Pair = usualPair,
): void {
  for (const [field, other] of [[typeField, valueField] as const, [valueField, typeField]]) {
    if (body[field] === undefined && body[other] !== undefined)
      refuse(context, [field], `is required with ${other}`, 'required');
  }
}

/** Returns a text for the check of numbers; empty for characters that no number has, and that PostgreSQL may refuse. */
export function printable(text: string): string {
  return /[^\x20-\x7e]/.test(text) ? '' : text;
}

/** Returns a check of the types and numbers of a request, by the form and check digit in the dictionary. */
export function numberCheck({ readers }: Context, pairs = [usualPair]) {
  const readTypes = keep(() => readIdentifierTypes(readers.db));
  /** Returns whether a text is a valid number of a known type. */
  const isNumber = createBatch(async (checked: [type: string, value: string][]) => {
    const columns = [checked.map(([type]) => type), checked.map(([, text]) => printable(text))];
    const file = 'api/check_numbers.sql';
    const rows = await runPrepared<{ is_number: boolean }>(readers.db, file, columns);
    return rows.map(({ is_number }) => is_number);
  }, 2);

  async function checkOne(pair: Pair, given: Record<string, unknown>, within = '') {
    const [typeField, valueField] = [within + pair[0], within + pair[1]];
    const [type, submitted] = pair.map((field) => given[field]);
    if (typeof type !== 'string') return [];
    const types = await readTypes();
    const form = types.find(({ identifier_type }) => identifier_type === type)?.form;
    if (form === undefined) {
      const names = types.map(({ identifier_type }) => identifier_type).join(', ');
      const message = `The ${typeField} field must be one of ${names}.`;
      return [[typeField, message, 'unknown_value'] satisfies Problem];
    }
    const checks = [submitted].flat().map(async (value, at) => {
      // The schema of the field refuses a value that is no text or too long.
      if (typeof value !== 'string' || value.length > maxCharacters) return [];
      if (await isNumber([type, digitsOf(value)])) return [];
      const field = Array.isArray(submitted) ? `${valueField}.${at}` : valueField;
      return [[field, `The ${field} field must be ${form}.`, 'invalid_number'] satisfies Problem];
    });
    return (await Promise.all(checks)).flat();
  }

  return async (given: { identifiers?: unknown }): Promise<Problem[]> => {
    const items: unknown[] = Array.isArray(given.identifiers) ? given.identifiers : [];
    const checks = [
      ...pairs.map((pair) => checkOne(pair, { ...given })),
      ...items.map((item, at) => checkOne(usualPair, { ...Object(item) }, `identifiers.${at}.`)),
    ];
    return (await Promise.all(checks)).flat();
  };
}

/** The option of a `superRefine` that checks an object even when some of its fields are wrong. */
export const whenObject: z.core.$ZodSuperRefineParams = {
  when: ({ value }) => typeof value === 'object' && value !== null,
};

/** The fields that name a company: by a number, or (+) by its reference, which no other company shares. */
const nameFields = {
  identifier_type: identifierType.optional(),
  identifier_value: identifierValue.optional(),
  company_ref: companyRef.optional(),
};

/**
 * Returns the schema of a query, a body or an item of `identifiers` that names one company, or may name one if
 * `isOptional`, and has other fields too. `numberCheck` checks the number.
 */
export function namingOne<Others extends z.ZodRawShape>(others: Others, isOptional = false) {
  return z.strictObject({ ...nameFields, ...others }).superRefine((given, context) => {
    const body: Record<string, unknown> = given;
    const missing = usualPair.filter((field) => body[field] === undefined);
    if (body.company_ref === undefined) {
      if (isOptional) checkPair(body, context);
      else for (const field of missing) refuse(context, [field], 'is required', 'required');
    } else if (missing.length < usualPair.length) {
      refuse(context, ['company_ref'], 'must be given without a number', 'conflict');
    }
  }, whenObject);
}

/** Returns the schema of a query or a body that may name one company. */
export const namingAny = <Others extends z.ZodRawShape>(others: Others) => namingOne(others, true);

/** The type and value by which SQL finds a company: a null type stands before a reference. */
export type CompanyName = [type: string | null, value: string];

/** Returns the name of the company in an object of `namingOne`. */
export function nameOf({
  identifier_type,
  identifier_value,
  company_ref,
}: { [Field in keyof typeof nameFields]?: string | undefined }): CompanyName {
  return company_ref === undefined ? [identifier_type!, identifier_value!] : [null, company_ref];
}

/** Returns the lists of types and values of names, the parameters of the statements that find companies. */
export function columnsOf(names: readonly CompanyName[]) {
  return [names.map(([type]) => type), names.map(([, value]) => value)];
}

/** The body of the 404 for a number that no company has, now or formerly. */
export const unknownCompany = {
  message: 'No company with this number is known.',
  code: 'UNKNOWN_COMPANY',
} as const;

export const unknownCompanyErrors = {
  404: { description: 'No company is known by this number.', example: unknownCompany },
};

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

/** Returns the distinct numbers of a company's entries, ordered by rank, then by entry. */
export function identifiersOf(entries: readonly Numbers[]) {
  const all = entries.flatMap(({ identifiers }) => identifiers);
  const sorted = all.toSorted((one, other) => one.rank - other.rank);
  const byText = new Map(sorted.map(({ type, value }) => [`${type} ${value}`, { type, value }]));
  return [...byText.values()];
}
