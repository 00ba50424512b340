import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import {
  category,
  eventClass,
  eventTypeName,
  readEventTypes,
  readLegalForms,
  readSections,
  readVoivodeships,
  severity,
} from './names.ts';

const eventType = z
  .strictObject({
    event_type: eventTypeName,
    severity,
    event_class: eventClass,
    category,
    description: z.string(),
  })
  .meta({ id: 'EventTypeEntry', description: 'A type of event.' });

const legalForm = z
  .strictObject({ slug: z.string(), symbol: z.string(), name: z.string() })
  .meta({ id: 'LegalFormEntry', description: 'A legal form.' });

const voivodeship = z
  .strictObject({ name: z.string(), slug: z.string(), teryt: z.string() })
  .meta({ id: 'VoivodeshipEntry', description: 'A voivodeship.' });

const activitySection = z
  .strictObject({ section: z.string(), name: z.string() })
  .meta({ id: 'ActivitySectionEntry', description: 'A section of the PKD 2025.' });

const inLanguage = z.strictObject({
  lang: z.enum(['pl', 'en']).default('pl').meta({ description: 'The language of `name`.' }),
});

const activity = z.strictObject({ code: z.string(), name: z.string() }).meta({
  id: 'ActivityEntry',
  description: 'A code of the PKD, the classification of activities.',
});

/** A public list. */
function dictionary<Query extends z.ZodObject>(
  about: { path: string; summary: string; description?: string; query?: Query },
  entry: z.ZodObject,
  example: object,
  read: (query: z.output<Query>) => Promise<object[]>,
): Endpoint {
  return endpoint(
    {
      ...about,
      method: 'get',
      tag: 'Dictionaries',
      auth: 'none',
      // Dictionaries change with a release.
      cacheControl: 'public, max-age=3600',
      answer: z.strictObject({
        status: z.literal('success'),
        data: z.array(entry),
        meta: z.strictObject({ total: z.int() }),
      }),
      example: { status: 'success', data: [example], meta: { total: 1 } },
    },
    async ({ query }) => {
      const data = await read(query);
      return { status: 'success', data, meta: { total: data.length } };
    },
  );
}

/** The dictionaries of the data: public and free. */
export function dictionaryEndpoints({ readers: { db } }: Pick<Context, 'readers'>): Endpoint[] {
  return [
    dictionary(
      { path: '/event-types', summary: 'List the types of events' },
      eventType,
      {
        event_type: 'COMPANY_NAME_CHANGED',
        severity: 'warning',
        event_class: 'change',
        category: 'identity',
        description: 'The name changed.',
      },
      () => readEventTypes(db),
    ),
    dictionary(
      {
        path: '/legal-forms',
        summary: 'List the legal forms',
        description: '`slug` is what `legal_form` of a search takes.',
        query: inLanguage,
      },
      legalForm,
      { slug: 'spolka-cywilna', symbol: '019', name: 'spółka cywilna' },
      ({ lang }) => readLegalForms(db, lang),
    ),
    dictionary(
      {
        path: '/voivodeships',
        summary: 'List the voivodeships',
        description: 'A search takes `name` or `slug`.',
      },
      voivodeship,
      { name: 'dolnośląskie', slug: 'dolnoslaskie', teryt: '02' },
      () => readVoivodeships(db),
    ),
    dictionary(
      {
        path: '/activity-sections',
        summary: 'List the sections of the PKD 2025',
        description: '`section` is what the series of the statistics takes.',
        query: inLanguage,
      },
      activitySection,
      { section: 'F', name: 'Budownictwo' },
      ({ lang }) => readSections(db, lang),
    ),
    dictionary(
      {
        path: '/activities',
        summary: 'List the activity codes of a version of the PKD',
        query: z.strictObject({
          version: z
            .enum(['2007', '2025'])
            .default('2025')
            .meta({ description: 'Year of the PKD.' }),
        }),
      },
      activity,
      { code: '1071Z', name: 'Produkcja pieczywa' },
      ({ version }) =>
        db
          .selectFrom('registry.activity_code')
          .select(['code', 'name'])
          .where('version', '=', Number(version))
          .orderBy('code')
          .execute(),
    ),
  ];
}
