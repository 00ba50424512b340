import { HttpError, type Problem } from './errors.ts';
import { fieldOf } from './messages.ts';

/** Lists in objects in lists: no request of ours needs more than a few levels. */
const maxDepth = 16;

function problemOf(text: string, part: string | undefined): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character.';
  if (part === 'query' && text.includes('\uFFFD')) return 'must be UTF-8.';
  return text.isWellFormed() ? undefined : 'must not contain half of a surrogate pair.';
}

/**
 * Looks for text that Postgres cannot keep, or that is no text at all: a NUL character, or half of a
 * surrogate pair, which JSON can escape. In a query, U+FFFD stands for bytes that are no UTF-8.
 * `parts` are those of a request: `{ params, query, body }`.
 *
 * Throws a 400 for what is nested deeper than any request of ours, without following it down.
 */
export function findBadText(parts: object): Problem[] {
  const problems: Problem[] = [];
  const open: { value: unknown; path: string[] }[] = [{ value: parts, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === 'string') {
      const problem = problemOf(value, path[0]);
      if (problem) problems.push([fieldOf(path), `The ${fieldOf(path)} field ${problem}`]);
    } else if (typeof value === 'object' && value !== null) {
      if (path.length > maxDepth) {
        throw new HttpError(400, { message: 'The request body is nested too deeply.' });
      }
      for (const [key, inner] of Object.entries(value).toReversed()) {
        open.push({ value: inner, path: [...path, key] });
      }
    }
  }
  return problems;
}
