// How a request names companies: by a type and a number, or by a reference.
import { z } from 'zod';
import { identifierType } from '../dictionaries/names.ts';
import { coded, type FieldCode } from '../http/errors.ts';
import { companyRef, identifierValue } from './identifier.ts';

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
export type Pair = readonly [typeField: string, valueField: string];

export const usualPair: Pair = ['identifier_type', 'identifier_value'];

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

/** The type and value by which SQL finds a company. The type is null when the value is a reference. */
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
