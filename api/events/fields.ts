import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { identifierType } from '../companies/identifier.ts';

/** The columns of an event, from the tables `event` and `event_type`. */
export const eventColumns = sql`
  event.event_id, event.event_type, event.old_value, event.new_value, event.event_date,
  event_type.severity
`;

/**
 * What a feed tells of an event, from the tables `event`, `event_type` and `company`, named as in the
 * answer: Postgres writes the JSON. A company that has lost all its numbers has the one by which the
 * account watches it, if it does.
 */
export function toldFor(account_id: string): RawBuilder<unknown> {
  const submitted = (column: string) => sql`(
      select ${sql.ref(`watch.${column}`)}
      from customer.watch
      where watch.account_id = ${account_id} and watch.company_id = company.company_id
  )`;
  return sql`
    event.event_type, event.old_value, event.new_value, event.event_date, event_type.severity,
    coalesce(
        company.nip, company.regon9, company.krs, ${submitted('identifier_value')}
    ) as primary_identifier,
    case
        when company.nip is not null then 'NIP'
        when company.regon9 is not null then 'REGON9'
        when company.krs is not null then 'KRS'
        else ${submitted('identifier_type')}
    end as identifier_type,
    company.name as company_name
  `;
}

/** Joins what those columns are of to a row that has the number of an event. */
export function joinEvent(row: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    join registry.event as event on event.event_id = ${row}.event_id
    join registry.event_type as event_type on event_type.event_type = event.event_type
    join registry.company as company on company.company_id = event.company_id
  `;
}

export interface EventRow {
  event_id: string;
  event_type: string;
  old_value: string | null;
  new_value: string | null;
  event_date: string;
  severity: string;
}

const severity = z.enum(['info', 'notice', 'warning', 'high', 'error', 'critical']);

export const eventFields = {
  event_type: z.string(),
  old_value: z.string().nullable(),
  new_value: z.string().nullable(),
  event_date: z.iso.date(),
  severity,
};

/** Of an event in a list with several companies. */
export const companyFields = {
  primary_identifier: z.string().nullable(),
  identifier_type: identifierType.nullable(),
  company_name: z.string().nullable(),
};

export const eventExample = {
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
};

export function viewEvent(row: EventRow) {
  const { event_type, old_value, new_value, event_date } = row;
  return { event_type, old_value, new_value, event_date, severity: row.severity };
}
