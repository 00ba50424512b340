import type { Response } from 'express';
import { z } from 'zod';
import { countryOfNumber } from '../../sql/country.ts';
import { describeEvent } from '../../sql/words/event-words.ts';
import { type Language, locales } from '../../sql/words/message.ts';
import {
  category,
  eventClass,
  eventTypeName,
  identifierType,
  severity,
} from '../dictionaries/names.ts';
import { model, text, time } from '../endpoint/answers.ts';
import { writeSuccess } from '../endpoint/endpoint.ts';
import { pageMetaFields } from '../http/paging.ts';
import { setTag } from '../http/tag.ts';
import { formatTimestamp } from '../http/timestamp.ts';

export const common = { method: 'get', tag: 'Company monitor', auth: 'token' } as const;

export const event = model('Event', {
  id: z.int(),
  event_type: eventTypeName,
  old_value: text.nullable(),
  new_value: text.nullable(),
  event_date: z.iso.date(),
  severity,
  event_class: eventClass,
  category,
  source: text,
  country_code: text,
  text: text.optional(),
});

export const langField = z
  .enum(Object.keys(locales) as Language[])
  .optional()
  .meta({ description: '(+) Adds `text` to each event: a sentence in this language.' });

export const numberFields = {
  primary_identifier: text.nullable(),
  identifier_type: identifierType.or(z.null()),
};

export const companyEvent = model('CompanyEvent', {
  ...event.shape,
  ...numberFields,
  company_name: text.nullable(),
  company_ref: text,
  submitted_identifier: text.nullable(),
  reference: text.nullable(),
});

const published = z.record(z.string(), z.iso.date());

/** The fields in `meta` of all feeds and histories. */
export const feedMetaFields = { published, fetched_at: time };

export const pageMeta = model('EventPageMeta', { ...pageMetaFields, ...feedMetaFields });

/** The parts of the descriptions of endpoints whose answers have an `ETag`. */
export const tagged = {
  headers: z.object({ 'If-None-Match': z.string().optional() }),
  errors: {
    304: { description: 'The answer has the `ETag` of `If-None-Match`; no body.', example: {} },
  },
};

/** Returns an answer, and sets its `ETag`, which is the same while only `fetched_at` differs. Throws a 304. */
export function answerTagged(response: Response, data: string, meta: object, now: Date): string {
  setTag(response, data + JSON.stringify(meta));
  return writeSuccess(data, { ...meta, fetched_at: formatTimestamp(now) });
}

/** Adds a sentence to each event, if there is a language. `typeOf` returns the type of its company's number. */
export function withWords<E extends z.output<typeof event>>(
  events: E[],
  lang: Language | undefined,
  typeOf: (event: E) => string | null,
): E[] {
  if (lang === undefined) return events;
  return events.map((one) => ({
    ...one,
    text: describeEvent(lang, one, countryOfNumber(typeOf(one))),
  }));
}
