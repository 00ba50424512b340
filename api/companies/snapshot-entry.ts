import type { z } from 'zod';
import type { Numbers } from './identifier.ts';
import type {
  addressField,
  contactType,
  labelledDate,
  person,
  provenance,
} from './snapshot-fields.ts';

/** The columns of `registry.entry` that contain dates, in the order in which a snapshot shows these dates. */
export const dateColumns = [
  'start_date',
  'suspension_date',
  'resumption_date',
  'bankruptcy_start_date',
  'bankruptcy_end_date',
  'restructuring_start_date',
  'restructuring_end_date',
  'end_date',
  'struck_off_date',
] as const;

type Texts<Column extends string> = Record<Column, string | null>;

export type Address = Texts<keyof z.output<typeof addressField>>;

/** A person of an entry (snapshot-persons.ts); `number` distinguishes persons with equal names, and is not shown. */
export type Person = z.output<typeof person> & { number?: string };

export type LabelledDate = z.output<typeof labelledDate>;

/** A local unit (branch or establishment) of an entry. */
type Unit = Texts<'identifier' | 'name'> & {
  address?: Address;
  dates: LabelledDate[];
  is_closed?: true;
};

/** An entry of a company, with the columns from which the company's snapshot is made. */
export interface SnapshotEntry
  extends
    Numbers,
    Omit<Address, 'country_code'>,
    Record<'source' | 'country_code' | 'entity_type' | 'status' | 'activity_codes', string>,
    Texts<'legal_form' | 'name' | 'surname' | 'first_name' | 'activity_main' | 'gone_date'>,
    Texts<'announced_activity'>,
    Texts<z.output<typeof contactType> | 'website' | 'address_country_code'>,
    Texts<(typeof dateColumns)[number]> {
  activity_version: number | null;
  closed_unit_count: number | null;
  units: Unit[] | null;
  persons: Person[] | null;
  other_dates: LabelledDate[] | null;
  other_names: { type: string; value: string }[] | null;
  /** The value of each attribute by the attribute's type; the value of a statistic ends with a year (`12 2024`). */
  attributes: Record<string, string> | null;
  unit_activities: Record<string, string> | null;
  /** The dump, file and line of the entry, by `registry.show_parts`. */
  provenance: z.output<typeof provenance>;
}
