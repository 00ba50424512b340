import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { areNipDigits, areRegon9Digits } from '../../sql/check-digit.ts';
import type { Tables } from '../../sql/tables/tables.ts';

export const identifierTypes = ['NIP', 'REGON9', 'KRS'] as const;

export type IdentifierType = (typeof identifierTypes)[number];

/** A number by which a company is known, as registries write it: digits alone. */
export interface Identifier {
  identifier_type: IdentifierType;
  identifier_value: string;
}

export const identifierType = z.enum(identifierTypes).meta({
  id: 'IdentifierType',
  description: 'Which register gave the number: NIP (tax), REGON9 (statistics), KRS (courts).',
});

/** A number and its type, as answers show it. */
export const identifier = z
  .strictObject({ type: identifierType, value: z.string() })
  .meta({ id: 'Identifier' });

export const companyStatus = z.enum(['ACTIVE', 'SUSPENDED', 'DELETED']).meta({
  id: 'CompanyStatus',
  description: 'DELETED: struck off, closed, or gone from the register.',
});

const maxCharacters = 50;

/** What a client may write for a number: whether it is one depends on its type. */
export const identifierValue = z.string().max(maxCharacters);

const separators = /[\s\u2010-\u2015-]/g;

// As `registry.is_nip`, `is_regon9` and `is_krs` say of what the registries bring.
const isNumber: Record<IdentifierType, (digits: string) => boolean> = {
  NIP: (digits) => digits.length === 10 && areNipDigits(Buffer.from(digits), 0),
  REGON9: (digits) => digits.length === 9 && areRegon9Digits(Buffer.from(digits), 0),
  KRS: (digits) => /^(?!0{10})\d{10}$/.test(digits),
};

/**
 * The digits of a number, with the spaces and dashes taken out in which people group them; undefined
 * when it is not valid: the wrong length, all zeros, or a wrong check digit (a KRS number has none).
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

/** What the 422 says of a number that is not valid. */
export function describeInvalid(field: string, type: IdentifierType): string {
  return `The ${field} field must be ${forms[type]}.`;
}

/**
 * Adds an issue for each number that is not valid, by its place: `identifier_value.3`. What is no
 * text, or too long, has been told by the schema of the field.
 *
 * @param submitted a number, or a list of them
 */
export function checkIdentifiers(
  context: z.core.$RefinementCtx,
  field: string,
  type: IdentifierType,
  submitted: unknown,
): void {
  for (const [at, value] of [submitted].flat().entries()) {
    if (typeof value !== 'string' || value.length > maxCharacters) continue;
    if (normalizeIdentifier(type, value) !== undefined) continue;
    const path = [field, ...(Array.isArray(submitted) ? [at] : [])];
    context.addIssue({ code: 'custom', path, message: describeInvalid(path.join('.'), type) });
  }
}

interface Submitted {
  identifier_type: IdentifierType;
  identifier_value: string | string[];
}

/**
 * Checks the numbers of a request by their type: to be spread into the `superRefine` of an object
 * with `identifier_type` and `identifier_value`. What is wrong is told together with what is wrong
 * with the other fields.
 */
export const validIdentifiers: [
  (body: Submitted, context: z.core.$RefinementCtx<Submitted>) => void,
  z.core.$ZodSuperRefineParams,
] = [
  ({ identifier_type, identifier_value }, context) =>
    checkIdentifiers(context, 'identifier_value', identifier_type, identifier_value),
  {
    when: ({ value }) => {
      const { identifier_type } = Object(value) as Record<string, unknown>;
      return identifierType.safeParse(identifier_type).success;
    },
  },
];

const columns = { NIP: 'nip', REGON9: 'regon9', KRS: 'krs' } as const;

/** What is said of a number by which no company is known, or ever was. */
export const unknownCompany = { message: 'No company with this number is known.' };

/**
 * The companies that these numbers name, by number: `registry.find_company` says which.
 *
 * @param values as `normalizeIdentifier` gives them
 */
export async function findCompanies(
  db: Kysely<Tables>,
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
  db: Kysely<Tables>,
  type: IdentifierType,
  value: string,
): Promise<{ company_id: string } | undefined> {
  const company_id = (await findCompanies(db, type, [value])).get(value);
  return company_id === undefined ? undefined : { company_id };
}

/** The number that names a company: its NIP, else its REGON9, else its KRS number. */
export function primaryIdentifierOf(
  company: Record<'nip' | 'regon9' | 'krs', string | null>,
): Identifier | undefined {
  for (const identifier_type of identifierTypes) {
    const identifier_value = company[columns[identifier_type]];
    if (identifier_value !== null) return { identifier_type, identifier_value };
  }
  return undefined;
}
