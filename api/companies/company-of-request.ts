// A request names a company by an identifier type and a number, or by its `company_ref`.
import { z } from 'zod';
import { identifierType } from '../dictionaries/names.ts';
import { coded, type FieldCode } from '../http/errors.ts';
import { companyRef, identifierValue } from './identifier.ts';

/** Adds a zod issue about the field at `path`. `validate.ts` writes the name of the field before the text `wrong`. */
export function refuse(
  context: z.core.$RefinementCtx,
  path: (string | number)[],
  wrong: string,
  code: FieldCode,
) {
  context.addIssue({ code: 'custom', path, ...coded(code, `${wrong}.`) });
}

/** The names of two fields of a request: one with an identifier type, the other with a number or list of numbers. */
export type Pair = readonly [typeField: string, valueField: string];

export const usualPair: Pair = ['identifier_type', 'identifier_value'];

/** Adds a validation issue when a body has an identifier type without a number, or a number without a type. */
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

/** The option with which `superRefine` of zod checks an object even if some fields of the object are wrong. */
export const whenObject: z.core.$ZodSuperRefineParams = {
  when: ({ value }) => typeof value === 'object' && value !== null,
};

/** The fields that name a company: identifier type and number, or (+) only the `company_ref`. */
const nameFields = {
  identifier_type: identifierType.optional(),
  identifier_value: identifierValue.optional(),
  company_ref: companyRef.optional(),
};

/** Returns the schema of an object with `nameFields` (all optional if `isOptional`) and with the fields `others`. */
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

/** Returns the schema of a query or a request body in which the fields that name a company are optional. */
export const namingAny = <Others extends z.ZodRawShape>(others: Others) => namingOne(others, true);

/** An identifier type and a number, or null and a `company_ref`, for `registry.find_company` of 07_number.sql. */
export type CompanyName = [type: string | null, value: string];

/** Returns the identifier type and number (or null and the `company_ref`) by which a parsed request names a company. */
export function nameOf({
  identifier_type,
  identifier_value,
  company_ref,
}: { [Field in keyof typeof nameFields]?: string | undefined }): CompanyName {
  return company_ref === undefined ? [identifier_type!, identifier_value!] : [null, company_ref];
}

/** Returns the identifier types and the values of company names as two lists, the parameters of SQL statements. */
export function columnsOf(names: readonly CompanyName[]) {
  return [names.map(([type]) => type), names.map(([, value]) => value)];
}

/** The body of the 404 answer for a number that no known company has or ever had. */
export const unknownCompany = {
  message: 'No company with this number is known.',
  code: 'UNKNOWN_COMPANY',
} as const;

export const unknownCompanyErrors = {
  404: { description: 'No company is known by this number.', example: unknownCompany },
};
