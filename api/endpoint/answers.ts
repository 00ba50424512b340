// Schemas that the descriptions of endpoints share. `openapi/glossary.json` describes the fields by their names.
import { z } from 'zod';

export const text = z.string();

/** A time in whole seconds, as `formatTimestamp` writes it. */
export const time = z.iso.datetime({ offset: true });

/** A time with microseconds. */
export const preciseTime = z.iso.datetime({ precision: 6 });

/** Returns the schema of an object that the OpenAPI document names, and the glossary describes by that name. */
export function model<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape).meta({ id });
}

/** The schema of a part of a body, and an example. */
type Part = readonly [schema: z.ZodType, example: unknown];

function bodyOf(begin: Record<string, Part>, data: Part, meta: Part | undefined) {
  const parts = Object.entries({ ...begin, data, ...(meta && { meta }) });
  return {
    answer: z.strictObject(Object.fromEntries(parts.map(([name, [schema]]) => [name, schema]))),
    example: Object.fromEntries(parts.map(([name, [, example]]) => [name, example])),
  };
}

/** Returns the schema and example of a body with `success`, `data` and, if given, `meta`. */
export function answersSuccess(data: Part, meta?: Part) {
  return bodyOf({ success: [z.literal(true), true] }, data, meta);
}

/** Returns the schema and example of a body with `status`, `data` and, if given, `meta`. */
export function answersStatus(data: Part, meta?: Part) {
  return bodyOf({ status: [z.literal('success'), 'success'] }, data, meta);
}
