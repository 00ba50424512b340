import { z } from 'zod';
import { countryOfNumber } from '../../sql/country.ts';
import { describeEvent } from '../../sql/words/event-words.ts';
import { type Language, locales } from '../../sql/words/message.ts';
import { eventTypeName, identifierType, severity } from '../dictionaries/names.ts';
import { model, text, time } from '../endpoint/answers.ts';
import { pageMetaFields } from '../http/paging.ts';

export const common = { method: 'get', tag: 'Company monitor', auth: 'token' } as const;

export const event = model('Event', {
  id: z.int(),
  event_type: eventTypeName,
  old_value: text.nullable(),
  new_value: text.nullable(),
  event_date: z.iso.date(),
  severity,
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
});

export const pageMeta = model('EventPageMeta', { ...pageMetaFields, fetched_at: time });

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
