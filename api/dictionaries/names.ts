import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { every, readCountries } from './countries.ts';

// The severities of events, in the order of the specification; the database has the same list.
export const severity = z
  .enum(['info', 'notice', 'warning', 'high', 'error', 'critical'])
  .meta({ id: 'Severity' });

export const eventClass = z
  .enum(['initialization', 'change', 'growth', 'risk', 'anomaly', 'recovery'])
  .meta({ id: 'EventClass' });

export const category = z
  .enum([
    'status',
    'identity',
    'location',
    'ownership',
    'activities',
    'contacts',
    'web_presence',
    'finance',
  ])
  .meta({ id: 'EventCategory' });

/** Checks that an identifier type is a text; `numberCheck` checks that the type is known. */
export const identifierType = z.string().meta({ id: 'IdentifierType' });

/** Checks the length of an event type's name; `readEnums` lists the known names for the OpenAPI document. */
export const eventTypeName = z.string().min(1).max(100).meta({ id: 'EventType' });

/** Returns a name in lower case without diacritics, as the column `slug` of the dictionaries has it. */
export function slugOf(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l');
}

/** Returns the identifier types of all countries; the types of the default country come first. */
export function readIdentifierTypes(db: Db) {
  return db
    .selectFrom('registry.identifier_type as type')
    .innerJoin('registry.country as country', 'country.country_code', 'type.country_code')
    .select(['type.identifier_type', 'country.country_code', 'type.form', 'type.pattern'])
    .orderBy('country.is_default', 'desc')
    .orderBy('country.country_code')
    .orderBy('type.rank')
    .execute();
}

/** Returns the event types, described in a country's terms or, without `country_code`, in general terms. */
export function readEventTypes(db: Db, country_code = '') {
  return db
    .selectFrom('registry.event_type')
    .select(['event_type', 'severity', 'event_class', 'category'])
    .select(sql<string>`registry.about_event(event_type, ${country_code})`.as('description'))
    .orderBy('event_type')
    .execute();
}

/** Returns a country's legal forms: slug, newest symbol, and name in the country's language or in English. */
export function readLegalForms(db: Db, country_code: string, isEnglish = false) {
  return db
    .selectFrom('registry.legal_form_symbol')
    .select(['slug', 'symbol', `${isEnglish ? 'label_en' : 'label'} as name`])
    .where('country_code', '=', country_code)
    .orderBy('slug')
    .execute();
}

/** Returns the sections of a country's newest activity classification, with names in its own language or in English. */
export function readSections(db: Db, country_code: string, isEnglish = false) {
  return db
    .selectFrom('registry.activity_section')
    .select((eb) => ['section', isEnglish ? eb.fn.coalesce('name_en', 'name').as('name') : 'name'])
    .where('country_code', '=', country_code)
    .orderBy('section')
    .execute();
}

/** Returns the activity classifications of a country, ordered by year (the newest is last). */
export function readSchemes(db: Db, country_code: string) {
  return db
    .selectFrom('registry.activity_scheme')
    .select(['country_code', 'version', 'scheme', 'name', 'year'])
    .where('country_code', '=', country_code)
    .orderBy('year')
    .execute();
}

/** Returns the regions of a country. The specification calls a region a voivodeship, and its code `teryt`. */
export function readRegions(db: Db, country_code: string) {
  return db
    .selectFrom('registry.region')
    .select(['name', 'slug', 'code', 'code as teryt'])
    .where('country_code', '=', country_code)
    .orderBy('code')
    .execute();
}

export type Enums = Awaited<ReturnType<typeof readEnums>>;

/** Returns the lists of accepted values in the OpenAPI document; each key is the name of a schema. */
export async function readEnums(db: Db) {
  const codes = (await readCountries(db)).map(({ country_code }) => country_code);
  const legalForms = await Promise.all(codes.map((code) => readLegalForms(db, code)));
  const regions = await Promise.all(codes.map((code) => readRegions(db, code)));
  return {
    Country: codes,
    CountryOrAll: [...codes, every],
    EventType: (await readEventTypes(db)).map(({ event_type }) => event_type),
    IdentifierType: (await readIdentifierTypes(db)).map(({ identifier_type }) => identifier_type),
    LegalForm: [...new Set(legalForms.flat().map(({ slug }) => slug))].toSorted(),
    Voivodeship: [...new Set(regions.flat().flatMap(({ name, slug }) => [name, slug]))],
  };
}
