import type { z } from 'zod';
import { sizes } from '../figures.ts';
import { HttpError, invalid, type Problem } from '../http/errors.ts';
import { fieldOf, messageOf } from './messages.ts';

function problemOf(text: string, part: string | undefined): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character.';
  if (part === 'query' && text.includes('\uFFFD')) return 'must be UTF-8.';
  return text.isWellFormed() ? undefined : 'must not contain half of a surrogate pair.';
}

/** Throws the 422 of a list or an object that is longer than any valid one. */
function refuseLong(value: object, path: string[]): void {
  if (Object.keys(value).length <= sizes.items) return;
  const field = fieldOf(path);
  const what = path.length > 1 ? `The ${field} field` : `The request ${field}`;
  const isRepeated = path[0] === 'query' && path.length > 1;
  const unit = Array.isArray(value) ? 'items' : 'fields';
  const wrong = isRepeated ? 'be given only once' : `not have more than ${sizes.items} ${unit}`;
  throw invalid([[field, `${what} must ${wrong}.`]]);
}

/**
 * Throws a 400 when a value is nested too deeply, and a 422 when a list or an object in it is too long. All
 * other checks come after this one: their work grows with what is wrong.
 *
 * @param value the parts of a request, `{ params, query, body }`, or what lies below `path`
 */
export function refuseHuge(value: unknown, path: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (path.length > sizes.depth) {
    throw new HttpError(400, { message: 'The request body is nested too deeply.' });
  }
  refuseLong(value, path);
  for (const [key, inner] of Object.entries(value)) refuseHuge(inner, [...path, key]);
}

/**
 * Finds text that Postgres cannot store: a NUL character, or half of a surrogate pair, which JSON can
 * escape. In a query, U+FFFD stands for bytes that are not UTF-8.
 *
 * @param value the parts of a request, `{ params, query, body }`, or what lies below `path`
 */
function findBadText(value: unknown, path: string[] = []): Problem[] {
  if (typeof value === 'string') {
    const problem = problemOf(value, path[0]);
    return problem ? [[fieldOf(path), `The ${fieldOf(path)} field ${problem}`]] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => findBadText(inner, [...path, key]));
}

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
 *
 * @param check finds what else is wrong
 */
export async function parse<Output>(
  schema: z.ZodType<Output>,
  parts: object,
  check?: () => Promise<Problem[]>,
): Promise<Output> {
  refuseHuge(parts, []);
  const badText = findBadText(parts);
  const found = (await check?.()) ?? [];
  const result = schema.safeParse(parts, { error: messageOf });
  const problems = result.success ? [] : result.error.issues.flatMap(problemsOf);
  problems.push(...found);
  const named = new Set(problems.map(([field]) => field));
  problems.push(...badText.filter(([field]) => !named.has(field)));
  if (problems.length > 0 || !result.success) throw invalid(problems);
  return result.data;
}
