import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Language } from '../../sql/words/message.ts';

// In the order of the specification; the dictionaries of the database hold the same.
export const severity = z.enum(['info', 'notice', 'warning', 'high', 'error', 'critical']).meta({
  id: 'Severity',
  description: 'How much an event of this type matters, from the least to the most critical.',
});

export const eventClass = z
  .enum(['initialization', 'change', 'growth', 'risk', 'anomaly', 'recovery'])
  .meta({ id: 'EventClass', description: 'What kind of change events of this type are.' });

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
  .meta({ id: 'EventCategory', description: 'What events of this type are about.' });

export const identifierType = z.enum(['NIP', 'REGON9', 'KRS']).meta({
  id: 'IdentifierType',
  description: 'Which register gave the number: NIP (tax), REGON9 (statistics), KRS (courts).',
});

export type IdentifierType = z.output<typeof identifierType>;

/** A name of the dictionary of event types; `readEnums` has all of them. */
export const eventTypeName = z.string().min(1).max(100).meta({
  id: 'EventType',
  description:
    'What happened; `GET /event-types` explains each type. `x-extensible-enum` has those of today: more may be added.',
});

/** What can be contested: the parts of a snapshot. */
export const challengedField = z
  .enum([
    'name',
    'status',
    'legal_form',
    'identifiers',
    'address',
    'units',
    'contacts',
    'activities',
    'dates',
    'websites',
    'persons',
  ])
  .meta({ id: 'ChallengedField', description: 'A part of the snapshot.' });

/** What the schemas of the document take, by their name: names and slugs of the dictionaries. */
export type Enums = Readonly<Record<'EventType' | 'LegalForm' | 'Voivodeship', string[]>>;

export function readEventTypes(db: Db) {
  return db
    .selectFrom('registry.event_type')
    .select(['event_type', 'severity', 'event_class', 'category', 'description'])
    .orderBy('event_type')
    .execute();
}

const defaultCountry = sql<string>`(select registry.default_country())`;

/** The legal forms with their newest symbols, and their names in a language. */
export function readLegalForms(db: Db, language: Language = 'pl') {
  return db
    .selectFrom('registry.legal_form_symbol')
    .select(['slug', 'symbol', `${language === 'pl' ? 'label' : 'label_en'} as name`])
    .where('country_code', '=', defaultCountry)
    .orderBy('slug')
    .execute();
}

/** The sections of the PKD 2025 with their names in a language. */
export function readSections(db: Db, language: Language) {
  return db
    .selectFrom('registry.activity_section')
    .select(['section', `${language === 'pl' ? 'name' : 'name_en'} as name`])
    .where('country_code', '=', defaultCountry)
    .orderBy('section')
    .execute();
}

export function readVoivodeships(db: Db) {
  return db
    .selectFrom('registry.voivodeship')
    .select(['name', 'slug', 'teryt'])
    .orderBy('teryt')
    .execute();
}

export async function readEnums(db: Db): Promise<Enums> {
  const [eventTypes, legalForms, voivodeships] = await Promise.all([
    readEventTypes(db),
    readLegalForms(db),
    readVoivodeships(db),
  ]);
  return {
    EventType: eventTypes.map(({ event_type }) => event_type),
    LegalForm: legalForms.map(({ slug }) => slug),
    Voivodeship: [...new Set(voivodeships.flatMap(({ name, slug }) => [name, slug]))],
  };
}
