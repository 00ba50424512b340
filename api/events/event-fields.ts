import { z } from 'zod';
import { countryOfNumber } from '../../sql/country.ts';
import { describeEvent } from '../../sql/words/event-words.ts';
import { type Language, locales } from '../../sql/words/message-format.ts';
import {
  category,
  eventClass,
  eventTypeName,
  identifierType,
  severity,
} from '../dictionaries/names.ts';
import { model, text, time } from '../endpoint/answers.ts';
import { pageMetaFields } from '../http/page-numbers.ts';

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

/** The number of a company whose identifier type ranks first, from `registry.primary_identifier` (07_number.sql). */
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

/** The day of each registry's newest snapshot, from `registry.published_days` in `sql/function/16_run.sql`. */
const published = z.record(z.string(), z.iso.date());

/** The fields in `meta` of every event feed and event history. */
export const feedMetaFields = { published, fetched_at: time };

export const pageMeta = model('EventPageMeta', { ...pageMetaFields, ...feedMetaFields });

/** Adds `text` in the language `lang` to each event; `typeOf` returns the identifier type of an event's company. */
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
