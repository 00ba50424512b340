import { z } from 'zod';
import { identifierType } from '../companies/identifier.ts';
import { eventTypeName, severity } from '../dictionaries/names.ts';

export const eventFields = {
  id: z.int(),
  event_type: eventTypeName,
  old_value: z.string().nullable(),
  new_value: z.string().nullable(),
  event_date: z.iso.date(),
  severity,
};

/** Of an event in a list with several companies. */
export const companyFields = {
  primary_identifier: z.string().nullable(),
  identifier_type: identifierType.or(z.null()),
  company_name: z.string().nullable(),
  company_ref: z.string(),
  submitted_identifier: z.string().nullable(),
};

export const eventExample = {
  id: 4711,
  event_type: 'COMPANY_NAME_CHANGED',
  old_value: 'Piekarnia Nowak',
  new_value: 'Piekarnia Anna Nowak',
  event_date: '2026-11-06',
  severity: 'warning',
};

export const companyExample = {
  primary_identifier: '5260250274',
  identifier_type: 'NIP',
  company_name: 'Piekarnia Anna Nowak',
  company_ref: '10482',
  submitted_identifier: '010778878',
};
