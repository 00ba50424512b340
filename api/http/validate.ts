import type { z } from 'zod';
import { invalid, type Problem } from './errors.ts';
import { fieldOf, messageOf } from './messages.ts';
import { findBadText } from './text.ts';

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const field = fieldOf([...issue.path, key]);
      return [field, `The ${field} field is unknown.`];
    });
  }
  return [[fieldOf(issue.path), issue.message]];
}

/**
 * Checks a request against a schema of its parts: `z.object({ params, query, body })`. Throws the 422
 * that names every wrong field. Unknown fields are refused, since an ignored filter would mislead, and
 * so is text that the database cannot store.
 */
export function parse<Output>(schema: z.ZodType<Output>, parts: object): Output {
  const badText = findBadText(parts);
  const result = schema.safeParse(parts, { error: messageOf });
  const problems = result.success ? [] : result.error.issues.flatMap(problemsOf);
  const named = new Set(problems.map(([field]) => field));
  problems.push(...badText.filter(([field]) => !named.has(field)));
  if (problems.length > 0 || !result.success) throw invalid(problems);
  return result.data;
}
