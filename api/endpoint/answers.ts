// The descriptions of endpoints share these schemas; ../events/event-fields.ts has the `meta` of feeds.
// `openapi/glossary.json` describes each field of an answer by its name.
import { z } from 'zod';

export const text = z.string();

/** Checks a time in whole seconds, as `formatTimestamp` writes it. */
export const time = z.iso.datetime({ offset: true });

/** Checks a time with microseconds. */
export const preciseTime = z.iso.datetime({ precision: 6 });

/** Returns the schema of an object that has the name `id` in the OpenAPI document and in its glossary. */
export function model<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape).meta({ id });
}

/** Returns the schema of an answer with `success`, `data` and optionally `meta`. */
export function answersSuccess(data: z.ZodType, meta?: z.ZodType) {
  return { answer: z.strictObject({ success: z.literal(true), data, ...(meta && { meta }) }) };
}

/** Returns the schema of an answer with `status`, `data` and optionally `meta`. */
export function answersStatus(data: z.ZodType, meta?: z.ZodType) {
  return { answer: z.strictObject({ status: z.literal('success'), data, ...(meta && { meta }) }) };
}
