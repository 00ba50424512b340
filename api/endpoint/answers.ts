// Schemas that the descriptions of endpoints share; ../events/event-fields.ts has the `meta` of feeds.
// `openapi/glossary.json` describes the fields by their names.
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

/** Returns the schema of a body with `success`, `data` and, if given, `meta`. */
export function answersSuccess(data: z.ZodType, meta?: z.ZodType) {
  return { answer: z.strictObject({ success: z.literal(true), data, ...(meta && { meta }) }) };
}

/** Returns the schema of a body with `status`, `data` and, if given, `meta`. */
export function answersStatus(data: z.ZodType, meta?: z.ZodType) {
  return { answer: z.strictObject({ status: z.literal('success'), data, ...(meta && { meta }) }) };
}
