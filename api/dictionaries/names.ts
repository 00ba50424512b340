import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { every, readCountries } from './countries.ts';

// Severities are in the order of the specification. The dictionaries of the database hold the same values.
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

/** The field for an identifier type. `numberCheck` looks its value up. */
export const identifierType = z.string().meta({ id: 'IdentifierType' });

/** The field for an event type. `readEnums` returns all event types. */
export const eventTypeName = z.string().min(1).max(100).meta({ id: 'EventType' });

/** Returns a name in lower case without diacritics, as slugs are written. */
export function slugOf(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l');
}

/** Returns the types of numbers, beginning with the types of the default country. */
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

/** Returns the event types, described in the words of a country, or in general words without a country. */
export function readEventTypes(db: Db, country_code = '') {
  return db
    .selectFrom('registry.event_type')
    .select(['event_type', 'severity', 'event_class', 'category'])
    .select(sql<string>`registry.about_event(event_type, ${country_code})`.as('description'))
    .orderBy('event_type')
    .execute();
}

/** Returns the legal forms of a country with their newest symbols, and their names in its language or in English. */
export function readLegalForms(db: Db, country_code: string, isEnglish = false) {
  return db
    .selectFrom('registry.legal_form_symbol')
    .select(['slug', 'symbol', `${isEnglish ? 'label_en' : 'label'} as name`])
    .where('country_code', '=', country_code)
    .orderBy('slug')
    .execute();
}

/** Returns the sections of a country's newest classification, with names in its language or in English. */
export function readSections(db: Db, country_code: string, isEnglish = false) {
  return db
    .selectFrom('registry.activity_section')
    .select((eb) => ['section', isEnglish ? eb.fn.coalesce('name_en', 'name').as('name') : 'name'])
    .where('country_code', '=', country_code)
    .orderBy('section')
    .execute();
}

/** Returns the classifications of activities of a country, the newest last. */
export function readSchemes(db: Db, country_code: string) {
  return db
    .selectFrom('registry.activity_scheme')
    .select(['country_code', 'version', 'scheme', 'name', 'year'])
    .where('country_code', '=', country_code)
    .orderBy('year')
    .execute();
}

/** Returns the regions of a country. The specification calls regions voivodeships, and the codes of regions `teryt`. */
export function readRegions(db: Db, country_code: string) {
  return db
    .selectFrom('registry.region')
    .select(['name', 'slug', 'code', 'code as teryt'])
    .where('country_code', '=', country_code)
    .orderBy('code')
    .execute();
}

export type Enums = Awaited<ReturnType<typeof readEnums>>;

/** Returns the values of schemas of the OpenAPI document, by the name of the schema. */
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
