import { sql } from 'kysely';
import { z } from 'zod';
import { areNipDigits, areRegon9Digits } from '../../sql/check-digit.ts';
import type { Db } from '../../sql/kysely.ts';

export const identifierTypes = ['NIP', 'REGON9', 'KRS'] as const;

export type IdentifierType = (typeof identifierTypes)[number];

/** A number of a company, in digits alone. */
export interface Identifier {
  identifier_type: IdentifierType;
  identifier_value: string;
}

const columns = { NIP: 'nip', REGON9: 'regon9', KRS: 'krs' } as const;

/** The numbers of a company or of one of its entries. */
export type Numbers = Record<(typeof columns)[IdentifierType], string | null>;

export const identifierType = z.enum(identifierTypes).meta({
  id: 'IdentifierType',
  description: 'Which register gave the number: NIP (tax), REGON9 (statistics), KRS (courts).',
});

/** A number and its type, as answers show it. */
export const identifier = z
  .strictObject({ type: identifierType, value: z.string() })
  .meta({ id: 'Identifier', description: 'A number by which a company is known.' });

export const companyStatus = z.enum(['ACTIVE', 'SUSPENDED', 'DELETED']).meta({
  id: 'CompanyStatus',
  description: 'DELETED: struck off, closed, or gone from the register.',
});

const maxCharacters = 50;

/** A number as a client writes it. */
export const identifierValue = z.string().max(maxCharacters);

const separators = /[\s\u2010-\u2015-]/g;

// The same rules as `registry.is_nip`, `is_regon9` and `is_krs`.
const isNumber: Record<IdentifierType, (digits: string) => boolean> = {
  NIP: (digits) => digits.length === 10 && areNipDigits(Buffer.from(digits), 0),
  REGON9: (digits) => digits.length === 9 && areRegon9Digits(Buffer.from(digits), 0),
  KRS: (digits) => /^(?!0{10})\d{10}$/.test(digits),
};

/**
 * The digits of a number without spaces and dashes; undefined when the number is not valid: the wrong
 * length, all zeros, or a wrong check digit (a KRS number has none).
 */
export function normalizeIdentifier(type: IdentifierType, text: string): string | undefined {
  if (text.length > maxCharacters) return undefined;
  const digits = text.replaceAll(separators, '');
  return isNumber[type](digits) ? digits : undefined;
}

const forms: Record<IdentifierType, string> = {
  NIP: 'a NIP: ten digits, the last of which is the check digit',
  REGON9: 'a REGON of nine digits, the last of which is the check digit',
  KRS: 'a KRS number: ten digits, leading zeros included',
};

type Fields = readonly [type: string, value: string];

// The schema of the field refuses values that are not text or too long.
function checkNumbers(
  body: Record<string, unknown>,
  context: z.core.$RefinementCtx,
  [typeField, valueField]: Fields,
): void {
  const type = identifierType.safeParse(body[typeField]).data;
  if (!type) return;
  const submitted = body[valueField];
  for (const [at, value] of [submitted].flat().entries()) {
    if (typeof value !== 'string' || value.length > maxCharacters) continue;
    if (normalizeIdentifier(type, value) !== undefined) continue;
    const path = [valueField, ...(Array.isArray(submitted) ? [at] : [])];
    const message = `The ${path.join('.')} field must be ${forms[type]}.`;
    context.addIssue({ code: 'custom', path, message });
  }
}

/**
 * Checks optional fields of a request: a type and its number, or list of numbers, come together, and each
 * number is valid.
 */
export function checkPair(
  body: Record<string, unknown>,
  context: z.core.$RefinementCtx,
  fields: Fields,
): void {
  const [type, value] = fields;
  for (const [field, other] of [[type, value] as const, [value, type] as const]) {
    if (body[field] !== undefined || body[other] === undefined) continue;
    const message = `The ${field} field is required with ${other}.`;
    context.addIssue({ code: 'custom', path: [field], message });
  }
  checkNumbers(body, context, fields);
}

/** Runs a check of an object even when fields are wrong. */
export const whenObject: z.core.$ZodSuperRefineParams = {
  when: ({ value }) => typeof value === 'object' && value !== null,
};

/**
 * Checks the number, or list of numbers, of a request by its type. To be spread into the `superRefine` of
 * an object with `identifier_type` and `identifier_value`.
 */
export const validIdentifiers = [
  (body: Record<string, unknown>, context: z.core.$RefinementCtx) =>
    checkNumbers(body, context, ['identifier_type', 'identifier_value']),
  whenObject,
] as const;

/** The body of a 404: the number belongs to no company, and never did. */
export const unknownCompany = { message: 'No company with this number is known.' };

/**
 * The companies that these numbers name, by number: `registry.find_company` says which.
 *
 * @param values as `normalizeIdentifier` gives them
 */
export async function findCompanies(
  db: Db,
  type: IdentifierType,
  values: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ value: string; company_id: string | null }>`
    select value, registry.find_company(${type}, value) as company_id
    from unnest(${values}::text[]) as value
  `.execute(db);
  return new Map(
    rows.flatMap(({ value, company_id }) => (company_id === null ? [] : [[value, company_id]])),
  );
}

/** The company that a number names. */
export async function findCompany(
  db: Db,
  type: IdentifierType,
  value: string,
): Promise<string | undefined> {
  return (await findCompanies(db, type, [value])).get(value);
}

/** The numbers of some entries of a company, each once, by type and then in the order of the entries. */
export function identifiersOf(entries: readonly Numbers[]) {
  return identifierTypes.flatMap((type) => {
    const values = new Set(entries.map((entry) => entry[columns[type]]));
    values.delete(null);
    return [...values].map((value) => ({ type, value: value! }));
  });
}

/** The number that names a company: its NIP, else its REGON9, else its KRS number. */
export function primaryIdentifierOf(company: Numbers): Identifier | undefined {
  for (const identifier_type of identifierTypes) {
    const identifier_value = company[columns[identifier_type]];
    if (identifier_value !== null) return { identifier_type, identifier_value };
  }
  return undefined;
}
