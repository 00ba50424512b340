import { HttpError, type Problem } from './errors.ts';
import { fieldOf } from './messages.ts';

/** Levels of lists and objects; no valid request has more than a few. */
const maxDepth = 16;

function problemOf(text: string, part: string | undefined): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character.';
  if (part === 'query' && text.includes('\uFFFD')) return 'must be UTF-8.';
  return text.isWellFormed() ? undefined : 'must not contain half of a surrogate pair.';
}

/**
 * Finds text that Postgres cannot store: a NUL character, or half of a surrogate pair, which JSON can
 * escape. In a query, U+FFFD stands for bytes that are not UTF-8. Throws a 400 when the value is
 * nested too deeply.
 *
 * @param value the parts of a request, `{ params, query, body }`, or what lies below `path`
 */
export function findBadText(value: unknown, path: string[] = []): Problem[] {
  if (typeof value === 'string') {
    const problem = problemOf(value, path[0]);
    return problem ? [[fieldOf(path), `The ${fieldOf(path)} field ${problem}`]] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (path.length > maxDepth) {
    throw new HttpError(400, { message: 'The request body is nested too deeply.' });
  }
  return Object.entries(value).flatMap(([key, inner]) => findBadText(inner, [...path, key]));
}
