// This file has the schemas that many endpoints share; ../events/event-fields.ts has the `meta` of event feeds, whose
// `published` is from sql/function/16_run.sql. `openapi/glossary.json` describes the fields of answers.
import { z } from 'zod';

export const text = z.string();

/** Checks an ISO 8601 time with an offset, in the form that `formatTimestamp` returns. */
export const time = z.iso.datetime({ offset: true });

/** Checks an ISO 8601 time with microseconds. */
export const preciseTime = z.iso.datetime({ precision: 6 });

/** Returns the schema of an object; `id` is the schema's name in the OpenAPI document and in its glossary. */
export function model<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape).meta({ id });
}

/** Returns the schema of an answer with `success: true`, `data` and optionally `meta`. */
export function answersSuccess(data: z.ZodType, meta?: z.ZodType) {
  return { answer: z.strictObject({ success: z.literal(true), data, ...(meta && { meta }) }) };
}

/** Returns the schema of an answer with `status: 'success'`, `data` and optionally `meta`. */
export function answersStatus(data: z.ZodType, meta?: z.ZodType) {
  return { answer: z.strictObject({ status: z.literal('success'), data, ...(meta && { meta }) }) };
}
