import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { invalid } from '../http/errors.ts';
import {
  chooseAmong,
  countriesField,
  type Country,
  countryField,
  readCountries,
} from './countries.ts';
import examples from './examples.json' with { type: 'json' };
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

/** The query parameters of all lists; each list takes some of them. */
interface Asked {
  country?: string;
  lang?: string;
  version?: string;
}

/** A public list of a dictionary. Its rows are described by `id`, `entry` and `fields`. */
interface List {
  path: keyof typeof examples;
  summary: string;
  description?: string;
  id: string;
  entry: string;
  fields: z.ZodRawShape;
  query?: z.ZodRawShape;
  /** Returns the rows of a country. A list without `query.country` has the rows of all countries. */
  read: (db: Db, country: Country, asked: Asked, countries: Country[]) => Promise<object[]>;
}

const text = z.string();

const ofCountries = { country: countriesField };

const inLanguage = {
  ...ofCountries,
  lang: text.optional().meta({
    description:
      'The language of `name`: the language of the country, or `en`; with `country=all` only `en`.',
  }),
};

/** Returns the value of a parameter. Throws a 422 that lists the allowed values. */
function chooseValue(field: string, values: string[], asked: string): string {
  if (values.includes(asked)) return asked;
  throw invalid([[field, `The ${field} field must be one of ${values.join(', ')}.`]]);
}

/** Returns whether a list is asked for in English instead of each country's language. */
function isEnglish(countries: Country[], { lang }: Asked): boolean {
  if (lang === undefined) return false;
  const own = countries.length === 1 ? [countries[0]!.language] : [];
  return chooseValue('lang', [...own, 'en'], lang) === 'en';
}

/** Returns the codes of a country's classification with the given version or scheme, by default the newest. */
async function readActivities(db: Db, of: Country, asked: Asked, countries: Country[]) {
  const known = await Promise.all(countries.map((one) => readSchemes(db, one.country_code)));
  const versions = known.flat().map(({ version }) => String(version));
  const scheme = known.flat().find((one) => one.scheme === asked.version);
  const named = scheme ? String(scheme.version) : asked.version;
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

const lists: List[] = [
  {
    path: '/event-types',
    summary: 'List the types of events',
    description: 'All countries have the same types; (+) `country` chooses the words of one.',
    id: 'EventTypeEntry',
    entry: 'A type of event.',
    fields: {
      event_type: eventTypeName,
      severity,
      event_class: eventClass,
      category,
      description: text,
    },
    query: { country: countryField },
    read: (db, { country_code }) => readEventTypes(db, country_code),
  },
  {
    path: '/countries',
    summary: 'List the countries',
    description: '(+) The first country is the default of `country`.',
    id: 'CountryEntry',
    entry: 'A country whose registries are read.',
    fields: { country_code: text, name: text, name_en: text, language: text, time_zone: text },
    read: async (db) =>
      (await readCountries(db)).map(
        ({ activity_pattern: _pattern, is_default: _default, ...shown }) => shown,
      ),
  },
  {
    path: '/identifier-types',
    summary: 'List the types of numbers',
    description: '(+) The values of `identifier_type` in a request, for all countries.',
    id: 'IdentifierTypeEntry',
    entry: 'A type of numbers.',
    fields: { identifier_type: identifierType, country_code: text, form: text },
    read: async (db) =>
      (await readIdentifierTypes(db)).map(({ pattern: _pattern, ...shown }) => shown),
  },
  {
    path: '/legal-forms',
    summary: 'List the legal forms',
    id: 'LegalFormEntry',
    entry: 'A legal form.',
    fields: { slug: text, symbol: text, name: text },
    query: inLanguage,
    read: (db, { country_code }, asked, all) =>
      readLegalForms(db, country_code, isEnglish(all, asked)),
  },
  {
    path: '/voivodeships',
    summary: 'List the voivodeships, or the regions of another country',
    description: 'A search takes `name` or `slug`.',
    id: 'VoivodeshipEntry',
    entry: 'A voivodeship.',
    fields: { name: text, slug: text, teryt: text },
    query: ofCountries,
    read: async (db, { country_code }) =>
      (await readRegions(db, country_code)).map(({ code: teryt, ...names }) => ({
        ...names,
        teryt,
      })),
  },
  {
    path: '/activity-sections',
    summary: 'List the sections of the newest classification of activities',
    description: 'The series of the statistics takes `section`.',
    id: 'ActivitySectionEntry',
    entry: 'A section of a classification of activities.',
    fields: { section: text, name: text },
    query: inLanguage,
    read: (db, { country_code }, asked, all) =>
      readSections(db, country_code, isEnglish(all, asked)),
  },
  {
    path: '/activity-schemes',
    summary: 'List the classifications of activities of a country',
    description: '(+) `GET /activities` takes `version`.',
    id: 'ActivitySchemeEntry',
    entry: 'A classification of activities.',
    fields: { version: z.int(), scheme: text, name: text, year: z.int() },
    query: ofCountries,
    read: (db, { country_code }) => readSchemes(db, country_code),
  },
  {
    path: '/activities',
    summary: 'List the activity codes of a classification',
    id: 'ActivityEntry',
    entry: 'A code of a classification of activities.',
    fields: { code: text, name: text },
    query: {
      ...ofCountries,
      version: text.max(20).optional().meta({
        description: '`version` of `GET /activity-schemes`, or its `scheme`; default the newest.',
        example: '2025',
      }),
    },
    read: readActivities,
  },
];

/** The field for the country of a row, in a list of all countries. */
const rowCountry = text
  .optional()
  .meta({ description: '(+) Country of the row; only with `country=all`.' });

function describe({ path, summary, description, id, entry, fields, query }: List) {
  const isOfCountries = query?.country === countriesField;
  const row = z.strictObject(isOfCountries ? { ...fields, country_code: rowCountry } : fields);
  return {
    method: 'get',
    path,
    tag: 'Dictionaries',
    summary,
    ...(description && { description }),
    ...(query && { query: z.strictObject(query) }),
    auth: 'none',
    // Dictionaries change with a release.
    cacheControl: 'public, max-age=3600',
    answer: z.strictObject({
      status: z.literal('success'),
      data: z.array(row.meta({ id, description: entry })),
      meta: z.strictObject({ total: z.int() }),
    }),
    example: { status: 'success', data: [examples[path]], meta: { total: 1 } },
  } as const;
}

/** Returns the endpoints of the dictionaries, which are public and free. */
export function dictionaryEndpoints({ readers: { db } }: Pick<Context, 'readers'>): Endpoint[] {
  return lists.map((list) =>
    endpoint(describe(list), async ({ query: asked = {} }: { query?: Asked }) => {
      const others = list.query?.country === countriesField ? undefined : [];
      const countries = chooseAmong(await readCountries(db), asked.country, others);
      const rows = countries.map(async (one) => {
        const own = await list.read(db, one, asked, countries);
        const { country_code } = one;
        return countries.length === 1 ? own : own.map((row) => ({ ...row, country_code }));
      });
      const data = (await Promise.all(rows)).flat();
      return { status: 'success', data, meta: { total: data.length } };
    }),
  );
}
