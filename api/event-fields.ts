import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { type Identifier, identifierType, primaryIdentifierOf } from './identifier.ts';

/** The columns of an event that every event endpoint shows, from the tables `event` and `event_type`. */
export const eventColumns = sql`
  event.event_id, event.event_type, event.old_value, event.new_value, event.event_date,
  event_type.severity
`;

/**
 * The columns of the company of an event, from the table `company`. A company that has lost all its
 * numbers has the one by which the account watches it, if it does.
 */
export function companyColumnsFor(account_id: string): RawBuilder<unknown> {
  return sql`
    company.nip, company.regon9, company.krs, company.name as company_name,
    case when coalesce(company.nip, company.regon9, company.krs) is null then (
        select json_build_object(
            'identifier_type', watch.identifier_type, 'identifier_value', watch.identifier_value
        )
        from customer.watch
        where watch.account_id = ${account_id} and watch.company_id = company.company_id
    ) end as submitted
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

export interface CompanyEventRow extends EventRow {
  nip: string | null;
  regon9: string | null;
  krs: string | null;
  company_name: string | null;
  submitted: Identifier | null;
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

export function viewCompanyEvent(row: CompanyEventRow) {
  const identifier = primaryIdentifierOf(row) ?? row.submitted;
  return {
    ...viewEvent(row),
    primary_identifier: identifier?.identifier_value ?? null,
    identifier_type: identifier?.identifier_type ?? null,
    company_name: row.company_name,
  };
}
