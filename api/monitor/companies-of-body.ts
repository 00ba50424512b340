import { z } from 'zod';
import { digitsOf, writtenNumber } from '../companies/identifier.ts';
import {
  checkPair,
  type CompanyName,
  nameOf,
  namingOne,
  refuse,
  whenObject,
} from '../companies/company-of-request.ts';
import { identifierType } from '../dictionaries/names.ts';
import { sizes } from '../figures/sizes.ts';
import { referenceField } from '../http/text-fields.ts';

/** Returns the schema of a list of up to 100 companies. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(sizes.items);

export const numberList = listOf(writtenNumber);

// Spec: two names for each of two fields, but silent on which name applies; we accept both names.
export const spellings = [
  ['identifier_type', 'identifier_value'],
  ['name', 'value'],
] as const;

export function checkCompanies(
  body: Record<string, unknown>,
  context: z.core.$RefinementCtx,
): void {
  const [given] = spellings.flat().filter((field) => body[field] !== undefined);
  if (body.identifiers !== undefined) {
    if (given) refuse(context, ['identifiers'], `must be given without ${given}`, 'conflict');
    return;
  }
  if (!given) for (const field of spellings[0]) refuse(context, [field], 'is required', 'required');
  for (const pair of spellings) checkPair(body, context, pair);
  if (context.issues.length > 0) return;
  // Lists of the same numbers become equal texts: order, spaces and dashes are ignored.
  const [first, other = first] = spellings
    .filter(([typeField]) => body[typeField] !== undefined)
    .map(([typeField, listField]) => {
      const digits = (body[listField] as string[]).map(digitsOf);
      return [body[typeField], ...new Set(digits.toSorted())].join(' ');
    });
  const wrong = 'must say the same as identifier_value, and name the same as identifier_type';
  if (other !== first) refuse(context, ['value'], wrong, 'conflict');
}

/** The companies to add; `referenceField` of ../http/text-fields.ts limits a `reference`. */
type AdditionBody = z.output<typeof additionBody>;

export const additionBody = z
  .strictObject({
    identifier_type: identifierType.optional(),
    identifier_value: numberList.optional(),
    identifiers: listOf(namingOne({ reference: referenceField.nullish() })).optional(),
  })
  .superRefine(checkCompanies, whenObject);

/** Returns the distinct companies in a request body, each with its number as written and its last given reference. */
export function companiesOf({ identifier_type, identifier_value, identifiers }: AdditionBody) {
  const listed: { name: CompanyName; written: string; reference?: string | null | undefined }[] =
    identifiers?.map((item) => ({ ...item, name: nameOf(item), written: nameOf(item)[1] })) ??
    identifier_value!.map((written) => ({ name: [identifier_type!, digitsOf(written)], written }));
  return [...Map.groupBy(listed, ({ name }) => name.join(' ')).values()].map((same) => {
    const { name, written } = same[0]!;
    const last = same.findLast(({ reference }) => typeof reference === 'string');
    return { name, written, reference: last?.reference ?? null };
  });
}
