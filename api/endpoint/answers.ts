// What the descriptions of endpoints share. `openapi/glossary.json` describes the fields by their names.
import { z } from 'zod';

export const text = z.string();

/** A moment in whole seconds, as `formatTimestamp` writes it. */
export const time = z.iso.datetime({ offset: true });

/** A moment in microseconds. */
export const preciseTime = z.iso.datetime({ precision: 6 });

/** A part of a body with its example. */
type Part = readonly [schema: z.ZodType, example: unknown];

function bodyOf(begin: Record<string, Part>, data: Part, meta: Part | undefined) {
  const parts = Object.entries({ ...begin, data, ...(meta && { meta }) });
  return {
    answer: z.strictObject(Object.fromEntries(parts.map(([name, [schema]]) => [name, schema]))),
    example: Object.fromEntries(parts.map(([name, [, example]]) => [name, example])),
  };
}

/** Describes a body of `success`, `data` and, where it is given, `meta`. */
export function answersSuccess(data: Part, meta?: Part) {
  return bodyOf({ success: [z.literal(true), true] }, data, meta);
}

/** Describes a body of `status`, `data` and, where it is given, `meta`. */
export function answersStatus(data: Part, meta?: Part) {
  return bodyOf({ status: [z.literal('success'), 'success'] }, data, meta);
}
