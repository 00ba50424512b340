import { z } from 'zod';
import { answersStatus, model, text, time } from '../endpoint/answers.ts';
import { companyStatus, identifier } from './identifier.ts';

export const addressField = model('Address', {
  street: text,
  building: text,
  apartment: text,
  city: text,
  postal_code: text,
  voivodeship: text,
  country_code: text,
});

export const labelledDate = model('LabelledDate', { type: text, date: z.iso.date() });

const unit = model('Unit', {
  identifier: text,
  name: text,
  address: addressField,
  dates: z.array(labelledDate),
  is_closed: z.literal(true).optional(),
  activity: model('UnitActivity', { code: text, name: text }).optional(),
});

export const contactType = z.enum(['phone', 'email', 'fax', 'e_delivery']);

export const provenance = model('Provenance', {
  dump_date: z.iso.date().nullable(),
  file: text.nullable(),
  sha256: text.nullable(),
  line: z.int().nullable(),
  said_since: z.iso.date(),
});

const otherName = model('OtherName', { type: text, value: text });

/** An attribute of an entry in an answer; `year` is the year of an attribute that is a statistic. */
const attribute = model('Attribute', {
  type: text,
  label: text,
  value: text,
  year: text.optional(),
});

const profile = model('Profile', {
  source: text,
  name: text,
  other_names: z.array(otherName),
  status: companyStatus,
  legal_form: text,
  address: addressField,
  units: z.array(unit),
  closed_unit_count: z.int().optional(),
  contacts: z.array(z.strictObject({ type: contactType, value: text })),
  activities: z.array(model('Activity', { code: text, name: text, is_primary: z.boolean() })),
  dates: z.array(labelledDate),
  websites: z.array(z.strictObject({ type: z.literal('website'), value: text })),
  attributes: z.array(attribute),
  provenance,
});

export const person = model('Person', { full_name: text, role: text, holding: text.optional() });

const company = model('Company', {
  identity: z.strictObject({
    identifiers: z.array(identifier),
    company_type: text,
    country_code: text,
  }),
  profiles: z.array(profile),
  persons: z.array(person),
});

export const snapshotAnswered = answersStatus(company, z.strictObject({ fetched_at: time }));
