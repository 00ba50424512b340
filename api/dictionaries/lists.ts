import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import {
  chooseAmong,
  countriesField,
  type Country,
  countryField,
  readCountries,
  requireAmong,
} from './countries.ts';
import texts from './lists.json' with { type: 'json' };
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

/** The query parameters of the dictionary endpoints; each endpoint accepts some of them. */
type Asked = Partial<Record<'country' | 'lang' | 'version', string>>;

type Path = keyof typeof texts;

/** The public endpoint of one dictionary; `lists.json` has the endpoint's summary and the `id` of the row schema. */
interface List {
  fields: z.ZodRawShape;
  query?: z.ZodRawShape;
  /** Returns the rows of a country's dictionary. The answer shows only the columns in `fields`. */
  read: (
    db: Db,
    country_code: string,
    isEnglish: boolean,
    asked: Asked,
    countries: Country[],
  ) => Promise<object[]>;
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

/** Returns whether a request selects English names; false: it selects names in the country's own language. */
function isEnglish(countries: Country[], { lang }: Asked): boolean {
  if (lang === undefined) return false;
  const own = countries.length === 1 ? [countries[0]!.language] : [];
  requireAmong('lang', [...own, 'en'], lang);
  return lang === 'en';
}

/** Returns the codes of a country's activity classification: `version` (version or scheme), or else the newest. */
const readActivities: List['read'] = async (db, country_code, _isEnglish, { version }, all) => {
  const known = await Promise.all(all.map((one) => readSchemes(db, one.country_code)));
  const schemes = known.flat();
  const asked = schemes.filter((one) =>
    [String(one.version), one.scheme, undefined].includes(version),
  );
  const versions = schemes.map((one) => String(one.version));
  if (version !== undefined && asked.length === 0) requireAmong('version', versions, version);
  const scheme = asked.findLast((one) => one.country_code === country_code);
  return db
    .selectFrom('registry.activity_code')
    .select(['code', 'name'])
    .where('version', '=', scheme?.version ?? 0)
    .orderBy('code')
    .execute();
};

const lists: Record<Path, List> = {
  '/event-types': {
    fields: {
      event_type: eventTypeName,
      severity,
      event_class: eventClass,
      category,
      description: text,
    },
    query: { country: countryField },
    read: readEventTypes,
  },
  '/countries': {
    fields: { country_code: text, name: text, name_en: text, language: text, time_zone: text },
    read: readCountries,
  },
  '/identifier-types': {
    fields: { identifier_type: identifierType, country_code: text, form: text },
    read: readIdentifierTypes,
  },
  '/legal-forms': {
    fields: { slug: text, symbol: text, name: text },
    query: inLanguage,
    read: readLegalForms,
  },
  '/voivodeships': {
    fields: { name: text, slug: text, teryt: text },
    query: ofCountries,
    read: readRegions,
  },
  '/activity-sections': {
    fields: { section: text, name: text },
    query: inLanguage,
    read: readSections,
  },
  '/activity-schemes': {
    fields: { version: z.int(), scheme: text, name: text, year: z.int() },
    query: ofCountries,
    read: readSchemes,
  },
  '/activities': {
    fields: { code: text, name: text },
    query: { ...ofCountries, version: text.max(20).optional() },
    read: readActivities,
  },
};

const isOfCountries = ({ query }: List) => query?.country === countriesField;

function describe(path: Path, list: List) {
  const { id, summary } = texts[path];
  const { fields, query } = list;
  const about = '(+) Country of the row; only with `country=all`.';
  const country_code = text.optional().meta({ description: about });
  const row = z.strictObject({ ...fields, ...(isOfCountries(list) && { country_code }) });
  return {
    method: 'get',
    path,
    tag: 'Dictionaries',
    summary,
    ...(query && { query: z.strictObject(query) }),
    auth: 'none',
    // Caches may keep a dictionary for an hour, since only a release of this software changes dictionaries.
    cacheControl: 'public, max-age=3600',
    answer: z.strictObject({
      status: z.literal('success'),
      data: z.array(row.meta({ id, description: `A row of \`GET ${path}\`.` })),
      meta: z.strictObject({ total: z.int() }),
    }),
  } as const;
}

type DictionaryCall = { query?: Asked; options: Context };

/** The endpoints of the dictionaries, which need no token and no credits. */
export const dictionaryEndpoints = Object.entries(lists).map(([path, list]) =>
  endpoint(describe(path as Path, list), async ({ query: asked = {}, options }: DictionaryCall) => {
    const { db } = options.readers;
    const others = isOfCountries(list) ? undefined : [];
    const countries = chooseAmong(await readCountries(db), asked.country, others);
    const shown = Object.keys(list.fields).concat(countries.length > 1 ? 'country_code' : []);
    const english = isEnglish(countries, asked);
    const rows = countries.map(async ({ country_code }) => {
      const own = await list.read(db, country_code, english, asked, countries);
      return own.map((row) => {
        const all: Record<string, unknown> = { country_code, ...row };
        return Object.fromEntries(shown.map((name) => [name, all[name]]));
      });
    });
    const data = (await Promise.all(rows)).flat();
    return { status: 'success', data, meta: { total: data.length } };
  }),
);
