import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { every, readCountries } from './countries.ts';

// The severities of events are in the order of the specification; the database has the same severities.
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

/** Checks a field with an identifier type, such as `NIP`; `numberCheck` looks the type up in the database. */
export const identifierType = z.string().meta({ id: 'IdentifierType' });

/** Checks a field with an event type; `readEnums` lists the known event types for the OpenAPI document. */
export const eventTypeName = z.string().min(1).max(100).meta({ id: 'EventType' });

/** Returns a name in lower case without diacritics, like the slugs in the database. */
export function slugOf(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l');
}

/** Returns the types of numbers in all countries; the types of the default country come first. */
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

/** Returns the event types with descriptions in the terms of a country; without `country_code`, in general terms. */
export function readEventTypes(db: Db, country_code = '') {
  return db
    .selectFrom('registry.event_type')
    .select(['event_type', 'severity', 'event_class', 'category'])
    .select(sql<string>`registry.about_event(event_type, ${country_code})`.as('description'))
    .orderBy('event_type')
    .execute();
}

/** Returns a country's legal forms with their newest symbols, and names in the country's language or in English. */
export function readLegalForms(db: Db, country_code: string, isEnglish = false) {
  return db
    .selectFrom('registry.legal_form_symbol')
    .select(['slug', 'symbol', `${isEnglish ? 'label_en' : 'label'} as name`])
    .where('country_code', '=', country_code)
    .orderBy('slug')
    .execute();
}

/** Returns the sections of a country's newest activity classification, with names in its language or in English. */
export function readSections(db: Db, country_code: string, isEnglish = false) {
  return db
    .selectFrom('registry.activity_section')
    .select((eb) => ['section', isEnglish ? eb.fn.coalesce('name_en', 'name').as('name') : 'name'])
    .where('country_code', '=', country_code)
    .orderBy('section')
    .execute();
}

/** Returns the activity classifications of a country, the newest last. */
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

/** Returns the values for the enums of the OpenAPI document, by the name of the schema. */
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
