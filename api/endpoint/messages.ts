import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const typeNames: Record<string, string> = {
  string: 'a string',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** The words for a bound: on the characters of a string, on the items of a list, or on a number itself. */
const units: Record<string, { least: string; most: string; unit: string }> = {
  string: { least: 'be at least', most: 'not be longer than', unit: ' characters' },
  array: { least: 'have at least', most: 'not have more than', unit: ' items' },
  number: { least: 'be at least', most: 'not be greater than', unit: '' },
};

/** Returns the name of a field without the part of the request, but with its position in a list: `value.3`. */
export function fieldOf(path: readonly PropertyKey[]): string {
  return path.length > 1 ? path.slice(1).join('.') : String(path[0] ?? 'body');
}

function describeSize(issue: Extract<RawIssue, { code: 'too_small' | 'too_big' }>): string {
  const { least, most, unit } = units[issue.origin] ?? units.number!;
  const [verb, bound] = issue.code === 'too_small' ? [least, issue.minimum] : [most, issue.maximum];
  return `must ${verb} ${bound}${Number(bound) === 1 ? unit.replace(/s$/, '') : unit}.`;
}

function describe(issue: RawIssue, part: unknown): string {
  if (issue.input === undefined) return 'is required.';
  if (part === 'query' && Array.isArray(issue.input)) return 'must be given only once.';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}.`;
    case 'too_small':
    case 'too_big':
      return describeSize(issue);
    case 'invalid_format':
      return issue.format === 'date'
        ? 'must be a calendar date in the form YYYY-MM-DD.'
        : 'has a form that is not valid.';
    default:
      return 'is not valid.';
  }
}

/** Returns the message of a broken rule that defines no message itself. */
export function messageOf(issue: RawIssue): string {
  const path = issue.path ?? [];
  const wrong = describe(issue, path[0]);
  return path.length > 1
    ? `The ${fieldOf(path)} field ${wrong}`
    : `The request ${fieldOf(path)} ${wrong}`;
}
