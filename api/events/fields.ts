import { sql } from 'kysely';
import { z } from 'zod';
import { identifierType } from '../companies/identifier.ts';
import { eventTypeName, severity } from '../dictionaries/names.ts';

/** The columns of an event, from the tables `event` and `event_type`, named as in the answer. */
export const eventColumns = sql`
  event.event_id as id, event.event_type, event.old_value, event.new_value, event.event_date,
  event_type.severity
`;

export interface EventRow {
  id: string;
  event_type: string;
  old_value: string | null;
  new_value: string | null;
  event_date: string;
  severity: string;
}

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

export function viewEvent(row: EventRow) {
  const { id, event_type, old_value, new_value, event_date } = row;
  return { id: Number(id), event_type, old_value, new_value, event_date, severity: row.severity };
}
