import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { invalid } from '../http/errors.ts';
import {
  chooseAmong,
  chooseCountry,
  countriesField,
  type Country,
  countryField,
  readCountries,
} from './countries.ts';
import {
  category,
  eventClass,
  eventTypeName,
  identifierType,
  readEventTypes,
  readIdentifierTypes,
  readLegalForms,
  readRegions,
  readSchemes,
  readSections,
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

/** Of a row, where the list is of all countries. */
const rowCountry = z
  .string()
  .optional()
  .meta({ description: '(+) Its country; only with `country=all`.' });

const legalForm = z
  .strictObject({
    slug: z.string(),
    symbol: z.string(),
    name: z.string(),
    country_code: rowCountry,
  })
  .meta({ id: 'LegalFormEntry', description: 'A legal form.' });

const voivodeship = z
  .strictObject({ name: z.string(), slug: z.string(), teryt: z.string(), country_code: rowCountry })
  .meta({ id: 'VoivodeshipEntry', description: 'A voivodeship.' });

const activitySection = z
  .strictObject({ section: z.string(), name: z.string(), country_code: rowCountry })
  .meta({
    id: 'ActivitySectionEntry',
    description: 'A section of a classification of activities.',
  });

const activity = z
  .strictObject({ code: z.string(), name: z.string(), country_code: rowCountry })
  .meta({ id: 'ActivityEntry', description: 'A code of a classification of activities.' });

const activityScheme = z
  .strictObject({
    version: z.int(),
    scheme: z.string(),
    name: z.string(),
    year: z.int(),
    country_code: rowCountry,
  })
  .meta({ id: 'ActivitySchemeEntry', description: 'A classification of activities.' });

const country = z
  .strictObject({
    country_code: z.string(),
    name: z.string(),
    name_en: z.string(),
    language: z.string(),
    time_zone: z.string(),
  })
  .meta({ id: 'CountryEntry', description: 'A country whose registries are read.' });

const identifierTypeEntry = z
  .strictObject({ identifier_type: identifierType, country_code: z.string(), form: z.string() })
  .meta({ id: 'IdentifierTypeEntry', description: 'A type of numbers.' });

const ofCountries = z.strictObject({ country: countriesField });

const inLanguage = ofCountries.extend({
  lang: z.string().optional().meta({
    description: 'The language of `name`: that of the country, or `en`; of all countries `en`.',
  }),
});

/** The value of a parameter among those of a country. Throws the 422 that lists these. */
function chooseValue(field: string, values: string[], asked: string): string {
  if (values.includes(asked)) return asked;
  throw invalid([[field, `The ${field} field must be one of ${values.join(', ')}.`]]);
}

/** Whether a list is asked for in English, not in the language of each country. */
function isEnglish(countries: Country[], lang?: string): boolean {
  if (lang === undefined) return false;
  const own = countries.length === 1 ? [countries[0]!.language] : [];
  return chooseValue('lang', [...own, 'en'], lang) === 'en';
}

/** The codes of a classification of a country, which is named by its version or by its scheme: else the newest. */
async function readActivities(db: Db, of: Country, countries: Country[], asked?: string) {
  const known = await Promise.all(countries.map((one) => readSchemes(db, one.country_code)));
  const versions = known.flat().map(({ version }) => String(version));
  const scheme = known.flat().find((one) => one.scheme === asked);
  const named = scheme ? String(scheme.version) : asked;
  if (named !== undefined && versions.length > 0) chooseValue('version', versions, named);
  const own = known[countries.indexOf(of)]!;
  const chosen =
    named === undefined ? own.at(-1) : own.find((one) => String(one.version) === named);
  return db
    .selectFrom('registry.activity_code')
    .select(['code', 'name'])
    .where('version', '=', chosen?.version ?? 0)
    .orderBy('code')
    .execute();
}

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
  /** Reads a list of the country that is asked for, or of all: then each row says whose it is. */
  const ofEach =
    <Query extends { country?: string | undefined }>(
      read: (country: Country, query: Query, countries: Country[]) => Promise<object[]>,
    ) =>
    async (query: Query) => {
      const countries = chooseAmong(await readCountries(db), query.country);
      const lists = countries.map(async (one) => {
        const rows = await read(one, query, countries);
        if (countries.length === 1) return rows;
        return rows.map((row) => ({ ...row, country_code: one.country_code }));
      });
      return (await Promise.all(lists)).flat();
    };
  return [
    dictionary(
      {
        path: '/event-types',
        summary: 'List the types of events',
        description: 'They are those of every country; (+) `description` is in the words of one.',
        query: z.strictObject({ country: countryField }),
      },
      eventType,
      {
        event_type: 'COMPANY_NAME_CHANGED',
        severity: 'warning',
        event_class: 'change',
        category: 'identity',
        description: 'The name changed.',
      },
      async ({ country: asked }) =>
        readEventTypes(db, (await chooseCountry(db, asked)).country_code),
    ),
    dictionary(
      {
        path: '/countries',
        summary: 'List the countries',
        description: '(+) The first one is meant where no `country` is asked for.',
      },
      country,
      {
        country_code: 'PL',
        name: 'Polska',
        name_en: 'Poland',
        language: 'pl',
        time_zone: 'Europe/Warsaw',
      },
      async () =>
        (await readCountries(db)).map(
          ({ activity_pattern: _pattern, is_default: _default, ...shown }) => shown,
        ),
    ),
    dictionary(
      {
        path: '/identifier-types',
        summary: 'List the types of numbers',
        description: '(+) Of all countries: what `identifier_type` of a request takes.',
      },
      identifierTypeEntry,
      {
        identifier_type: 'NIP',
        country_code: 'PL',
        form: 'a NIP: ten digits, the last of which is the check digit',
      },
      async () => (await readIdentifierTypes(db)).map(({ pattern: _pattern, ...shown }) => shown),
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
      ofEach((one, { lang }, all) => readLegalForms(db, one.country_code, isEnglish(all, lang))),
    ),
    dictionary(
      {
        path: '/voivodeships',
        summary: 'List the voivodeships, or the regions of another country',
        description: 'A search takes `name` or `slug`.',
        query: ofCountries,
      },
      voivodeship,
      { name: 'dolnośląskie', slug: 'dolnoslaskie', teryt: '02' },
      ofEach(async ({ country_code }) =>
        (await readRegions(db, country_code)).map(({ code: teryt, ...names }) => ({
          ...names,
          teryt,
        })),
      ),
    ),
    dictionary(
      {
        path: '/activity-sections',
        summary:
          'List the sections of the PKD 2025, or of the newest classification of another country',
        description: '`section` is what the series of the statistics takes.',
        query: inLanguage,
      },
      activitySection,
      { section: 'F', name: 'Budownictwo' },
      ofEach((one, { lang }, all) => readSections(db, one.country_code, isEnglish(all, lang))),
    ),
    dictionary(
      {
        path: '/activity-schemes',
        summary: 'List the classifications of activities of a country',
        description: '(+) `version` is what `GET /activities` takes.',
        query: ofCountries,
      },
      activityScheme,
      { version: 2025, scheme: 'PKD2025', name: 'PKD 2025', year: 2025 },
      ofEach(({ country_code }) => readSchemes(db, country_code)),
    ),
    dictionary(
      {
        path: '/activities',
        summary: 'List the activity codes of a classification, such as a version of the PKD',
        query: ofCountries.extend({
          version: z.string().max(20).optional().meta({
            description:
              '`version` of `GET /activity-schemes`, or its `scheme`; default the newest.',
            example: '2025',
          }),
        }),
      },
      activity,
      { code: '1071Z', name: 'Produkcja pieczywa' },
      ofEach((one, { version }, all) => readActivities(db, one, all, version)),
    ),
  ];
}
