import type { z } from 'zod';
import { sizes } from '../figures/sizes.ts';
import { type coded, type FieldCode, HttpError, invalid, type Problem } from '../http/errors.ts';

type RawIssue = z.core.$ZodRawIssue;

type Fault = [code: FieldCode, wrong: string];

type Rule = Partial<ReturnType<typeof coded>['params']>;

const typeNames: Record<string, string> = {
  string: 'a string',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** The error code, and the verb and unit of the message, for a string, list or number beyond its limit. */
const bounds: Record<string, [code: FieldCode, verb: string, unit: string]> = {
  'string too_small': ['too_short', 'be at least', ' characters'],
  'string too_big': ['too_long', 'not be longer than', ' characters'],
  'array too_small': ['too_few', 'have at least', ' items'],
  'array too_big': ['too_many', 'not have more than', ' items'],
  too_small: ['out_of_range', 'be at least', ''],
  too_big: ['out_of_range', 'not be greater than', ''],
};

/** Returns the name of the field at a path, without `query` or `body`, but with its position in a list (`value.3`). */
function fieldOf(path: readonly PropertyKey[]): string {
  return path.length > 1 ? path.slice(1).join('.') : String(path[0] ?? 'body');
}

/** Returns the subject of an error message: a field (`The nip field`) or a part of the request (`The request body`). */
function subjectOf(path: readonly PropertyKey[]): string {
  return path.length > 1 ? `The ${fieldOf(path)} field` : `The request ${fieldOf(path)}`;
}

function sizeFault(issue: Extract<RawIssue, { code: 'too_small' | 'too_big' }>): Fault {
  const [code, verb, unit] = bounds[`${issue.origin} ${issue.code}`] ?? bounds[issue.code]!;
  const bound = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  return [code, `must ${verb} ${bound}${Number(bound) === 1 ? unit.replace(/s$/, '') : unit}.`];
}

/** Returns the error code and the message without subject for a broken rule; `coded` sets both for our own rules. */
function faultOf(issue: RawIssue): Fault {
  if (issue.code === 'custom') {
    const { code = 'invalid', wrong = 'is not valid.' } = (issue.params ?? {}) as Rule;
    return [code, wrong];
  }
  if (issue.input === undefined) return ['required', 'is required.'];
  if (issue.path?.[0] === 'query' && Array.isArray(issue.input))
    return ['repeated', 'must be given only once.'];
  switch (issue.code) {
    case 'invalid_type':
      return [issue.code, `must be ${typeNames[issue.expected] ?? issue.expected}.`];
    case 'invalid_value': {
      const oneOf = issue.values.length > 1 ? 'one of ' : '';
      return ['unknown_value', `must be ${oneOf}${issue.values.join(', ')}.`];
    }
    case 'too_small':
    case 'too_big':
      return sizeFault(issue);
    case 'invalid_format':
      if (issue.format !== 'date') return [issue.code, 'has a form that is not valid.'];
      return [issue.code, 'must be a calendar date in the form YYYY-MM-DD.'];
    default:
      return ['invalid', 'is not valid.'];
  }
}

/** Returns the error message for a broken rule. */
const messageOf = (issue: RawIssue) => `${subjectOf(issue.path ?? [])} ${faultOf(issue)[1]}`;

function problemOf(text: string, part: string | undefined): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character.';
  if (part === 'query' && text.includes('\uFFFD')) return 'must be UTF-8.';
  return text.isWellFormed() ? undefined : 'must not contain half of a surrogate pair.';
}

/** Throws a 422 when a list or an object has more than `sizes.items` items. */
function refuseLong(value: object, path: string[]): void {
  if (Object.keys(value).length <= sizes.items) return;
  const isRepeated = path[0] === 'query' && path.length > 1;
  const unit = Array.isArray(value) ? 'items' : 'fields';
  const wrong = isRepeated ? 'be given only once' : `not have more than ${sizes.items} ${unit}`;
  const message = `${subjectOf(path)} must ${wrong}.`;
  throw invalid([[fieldOf(path), message, isRepeated ? 'repeated' : 'too_many']]);
}

/**
 * Throws a 400 if the value at `path` is nested too deeply, and a 422 if a list or object in this value is too long.
 * Both limits bound the number of errors that later checks of the request can find.
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
 * Returns a problem for each text in a request that PostgreSQL cannot store. The character U+FFFD in a query is a
 * problem too, since it stands for bytes that are not UTF-8.
 */
function findBadText(value: unknown, path: string[] = []): Problem[] {
  if (typeof value === 'string') {
    const problem = problemOf(value, path[0]);
    const field = fieldOf(path);
    return problem ? [[field, `The ${field} field ${problem}`, 'invalid_text']] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => findBadText(inner, [...path, key]));
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const field = fieldOf([...issue.path, key]);
      return [field, `The ${field} field is unknown.`, 'unknown_field'];
    });
  }
  return [[fieldOf(issue.path), issue.message, faultOf(issue as RawIssue)[0]]];
}

/**
 * Parses a request by the schema `z.object({ params, query, body })`. Throws a 422 that lists every wrong field and the
 * problems that `check` returns. `invalid` of ../http/errors.ts writes the message of the 422.
 */
export async function parse<Output>(
  schema: z.ZodType<Output>,
  parts: object,
  check?: () => Promise<Problem[]>,
): Promise<Output> {
  refuseHuge(parts, []);
  const badText = findBadText(parts);
  const found = (await check?.()) ?? [];
  const result = schema.safeParse(parts, { error: messageOf, reportInput: true });
  const problems = result.success ? [] : result.error.issues.flatMap(problemsOf);
  problems.push(...found);
  const named = new Set(problems.map(([field]) => field));
  problems.push(...badText.filter(([field]) => !named.has(field)));
  if (problems.length > 0 || !result.success) throw invalid(problems);
  return result.data;
}
