import { z } from 'zod';
import { areNipDigits, areRegon9Digits } from '../../sql/check-digit.ts';
import { identifierType, type IdentifierType } from '../dictionaries/names.ts';

/** A number of a company, only digits. */
export interface Identifier {
  identifier_type: IdentifierType;
  identifier_value: string;
}

/** The numbers of a company or of one of its entries. */
export type Numbers = Record<'nip' | 'regon9' | 'krs', string | null>;

/** A number and its type, as answers show it. */
export const identifier = z
  .strictObject({ type: identifierType, value: z.string() })
  .meta({ id: 'Identifier', description: 'A number by which a company is known.' });

export const companyStatus = z.enum(['ACTIVE', 'SUSPENDED', 'DELETED']).meta({
  id: 'CompanyStatus',
  description: 'DELETED: struck off, closed, or gone from the register.',
});

const separators = /[\s\u2010-\u2015-]/g;

/** Removes spaces and dashes from a number. */
export function digitsOf(number: string): string {
  return number.replaceAll(separators, '');
}

const maxCharacters = 50;

/** A number as a client writes it, such as an item of a list. */
export const writtenNumber = z.string().max(maxCharacters);

/** A number without the spaces and dashes that a client may write. */
export const identifierValue = writtenNumber
  .transform(digitsOf)
  .meta({ type: 'string', maxLength: maxCharacters });

/** What names a company in answers, for good. Clients take it as it is. */
export const companyRef = z.string().max(maxCharacters).meta({
  description: '(+) The `company_ref` of an event, a watched company or a search result.',
});

// The same rules as `registry.is_nip`, `is_regon9` and `is_krs`.
const isNumber: Record<IdentifierType, (digits: string) => boolean> = {
  NIP: (digits) => digits.length === 10 && areNipDigits(Buffer.from(digits), 0),
  REGON9: (digits) => digits.length === 9 && areRegon9Digits(Buffer.from(digits), 0),
  KRS: (digits) => /^(?!0{10})\d{10}$/.test(digits),
};

const forms: Record<IdentifierType, string> = {
  NIP: 'a NIP: ten digits, the last of which is the check digit',
  REGON9: 'a REGON of nine digits, the last of which is the check digit',
  KRS: 'a KRS number: ten digits, leading zeros included',
};

/** Adds an issue to the checks of a body: what is wrong with a field. */
export function refuse(context: z.core.$RefinementCtx, path: (string | number)[], wrong: string) {
  const message = `The ${path.join('.')} field ${wrong}.`;
  context.addIssue({ code: 'custom', path, message });
}

/**
 * Checks that two fields, a type and a number or a list of numbers, come together, and that the numbers
 * are valid: their length, not only zeros, and the check digit (a KRS number has none).
 */
export function checkPair(
  body: Record<string, unknown>,
  context: z.core.$RefinementCtx,
  [typeField, valueField]: readonly [type: string, value: string],
): void {
  for (const [field, other] of [[typeField, valueField] as const, [valueField, typeField]]) {
    // A field that is required in any case has an issue already.
    const hasIssue = context.issues.some(({ path }) => path?.[0] === field);
    if (hasIssue || body[field] !== undefined || body[other] === undefined) continue;
    refuse(context, [field], `is required with ${other}`);
  }
  const type = identifierType.safeParse(body[typeField]).data;
  if (!type) return;
  const submitted = body[valueField];
  for (const [at, value] of [submitted].flat().entries()) {
    // The schema of the field refuses these.
    if (typeof value !== 'string' || value.length > maxCharacters) continue;
    if (isNumber[type](digitsOf(value))) continue;
    refuse(
      context,
      [valueField, ...(Array.isArray(submitted) ? [at] : [])],
      `must be ${forms[type]}`,
    );
  }
}

/** Runs a check of an object even when some of its fields are wrong. */
export const whenObject: z.core.$ZodSuperRefineParams = {
  when: ({ value }) => typeof value === 'object' && value !== null,
};

/** The `superRefine` of an object with `identifier_type` and `identifier_value`. */
export const validIdentifiers = [
  (body: Record<string, unknown>, context: z.core.$RefinementCtx) =>
    checkPair(body, context, ['identifier_type', 'identifier_value']),
  whenObject,
] as const;

/** A body that names one company: by a number, or (+) by its reference, which no other company shares. */
export const companyBody = z
  .strictObject({
    identifier_type: identifierType.optional(),
    identifier_value: identifierValue.optional(),
    company_ref: companyRef.optional(),
  })
  .superRefine((body, context) => {
    const fields = ['identifier_type', 'identifier_value'] as const;
    const isNumbered = fields.some((field) => body[field] !== undefined);
    if (body.company_ref !== undefined) {
      if (isNumbered) refuse(context, ['company_ref'], 'must be given without a number');
      return;
    }
    for (const field of fields) {
      if (body[field] === undefined) refuse(context, [field], 'is required');
    }
    checkPair(body, context, fields);
  }, whenObject);

/** A body that names one company by a number. */
export const identifierBody = z
  .strictObject({ identifier_type: identifierType, identifier_value: identifierValue })
  .superRefine(...validIdentifiers);

/** The body of a 404: no company has the number, or ever had it. */
export const unknownCompany = { message: 'No company with this number is known.' };

export const unknownCompanyErrors = {
  404: { description: 'No company is known by this number.', example: unknownCompany },
};

/** Lists what rows have in some columns, each value once: by column, then in the order of the rows. */
export function listValues<Column extends string>(
  rows: readonly Record<Column, string | null>[],
  columns: readonly Column[],
): { type: Column; value: string }[] {
  return columns.flatMap((type) => {
    const values = new Set(rows.map((row) => row[type]).filter((value) => value !== null));
    return [...values].map((value) => ({ type, value }));
  });
}

/** Lists the numbers of entries of a company, each once, by type, then in the order of the entries. */
export function identifiersOf(entries: readonly Numbers[]) {
  const numbers = entries.map(({ nip, regon9, krs }) => ({ NIP: nip, REGON9: regon9, KRS: krs }));
  return listValues(numbers, identifierType.options);
}
