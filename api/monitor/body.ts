import { z } from 'zod';
import {
  checkPair,
  identifierType,
  type IdentifierType,
  identifierValue,
  normalizeIdentifier,
  validIdentifiers,
  whenObject,
} from '../companies/identifier.ts';

const numberList = z.array(identifierValue).min(1).max(100);

/** The body of `POST /companies/add`. */
export const addition = z
  .strictObject({ identifier_type: identifierType, identifier_value: numberList })
  .superRefine(...validIdentifiers);

/** The digits of each number, with the first spelling of it. */
export function foldRepeated(
  ofType: IdentifierType,
  submitted: readonly string[],
): Map<string, string> {
  const folded = new Map<string, string>();
  for (const spelling of submitted) {
    const number = normalizeIdentifier(ofType, spelling)!;
    if (!folded.has(number)) folded.set(number, spelling);
  }
  return folded;
}

// Spec: two names of each field, silent on which one holds; both do.
const spellings = [
  ['identifier_type', 'identifier_value'],
  ['name', 'value'],
] as const;

/** The body of `DELETE /companies/watched`. */
export const removal = z
  .strictObject({
    identifier_type: identifierType.optional(),
    identifier_value: numberList.optional(),
    name: identifierType.optional(),
    value: numberList.optional(),
  })
  .superRefine(checkRemoval, whenObject);

function checkRemoval(body: Record<string, unknown>, context: z.core.$RefinementCtx) {
  const refuse = (field: string, wrong: string) =>
    context.addIssue({ code: 'custom', path: [field], message: `The ${field} field ${wrong}` });
  const isEmpty = spellings.flat().every((field) => body[field] === undefined);
  if (isEmpty) for (const field of spellings[0]) refuse(field, 'is required.');
  for (const pair of spellings) checkPair(body, context, pair);
  if (context.issues.length > 0) return;
  const [first, second] = spellings.map(([typeField, listField]) =>
    body[typeField] === undefined
      ? undefined
      : namesOf(body[typeField] as IdentifierType, body[listField] as string[]),
  );
  if (first !== undefined && second !== undefined && first !== second) {
    refuse('value', 'must say the same as identifier_value, and name the same as identifier_type.');
  }
}

/** A text that is equal for lists of the same numbers, in any order and spelling. */
function namesOf(ofType: IdentifierType, submitted: readonly string[]): string {
  return [ofType, ...[...foldRepeated(ofType, submitted).keys()].toSorted()].join(' ');
}
