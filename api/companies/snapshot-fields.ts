import { z } from 'zod';
import { answersStatus, text, time } from '../endpoint/answers.ts';
import examples from './examples.json' with { type: 'json' };
import { companyStatus, identifier } from './identifier.ts';

export const addressField = z
  .strictObject({
    street: text,
    building: text,
    apartment: text,
    city: text,
    postal_code: text,
    voivodeship: text,
    country_code: text,
  })
  .meta({ id: 'Address', description: 'An address; a part that is unknown is an empty string.' });

export const labelledDate = z
  .strictObject({ type: text, date: z.iso.date() })
  .meta({ id: 'LabelledDate', description: 'A day in the life of a company or of a unit.' });

const unit = z
  .strictObject({
    identifier: text,
    name: text,
    address: addressField,
    dates: z.array(labelledDate),
    is_closed: z.literal(true).optional(),
  })
  .meta({ id: 'Unit', description: 'A local unit of the company.' });

export const contactType = z.enum(['phone', 'email', 'fax', 'e_delivery']);

const activity = z
  .strictObject({ code: text, name: text, is_primary: z.boolean() })
  .meta({ id: 'Activity', description: 'A kind of business that a company does.' });

export const provenance = z
  .strictObject({
    dump_date: z.iso.date().nullable(),
    file: text.nullable(),
    sha256: text.nullable(),
    line: z.int().nullable(),
    said_since: z.iso.date(),
  })
  .meta({
    id: 'Provenance',
    description:
      '(+) The first dump that has the content of the profile. The file is null for an entry that was imported on demand, or is gone.',
  });

const profile = z
  .strictObject({
    source: text,
    name: text,
    status: companyStatus,
    legal_form: text,
    address: addressField,
    units: z.array(unit),
    closed_unit_count: z.int().optional(),
    contacts: z.array(z.strictObject({ type: contactType, value: text })),
    activities: z.array(activity),
    dates: z.array(labelledDate),
    websites: z.array(z.strictObject({ type: z.literal('website'), value: text })),
    provenance,
  })
  .meta({ id: 'Profile', description: 'The company as one registry entry has it.' });

export const person = z
  .strictObject({ full_name: text, role: text, holding: text.optional() })
  .meta({ id: 'Person', description: 'A person with a role in the company.' });

const company = z
  .strictObject({
    identity: z.strictObject({
      identifiers: z.array(identifier),
      company_type: text,
      country_code: text,
    }),
    profiles: z.array(profile),
    persons: z.array(person),
  })
  .meta({ id: 'Company', description: 'The company as the registries have it.' });

export const snapshotAnswered = answersStatus(
  [company, examples.snapshot.data],
  [z.strictObject({ fetched_at: time }), examples.snapshot.meta],
);
