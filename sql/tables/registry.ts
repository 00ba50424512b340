import type { ColumnType, JSONColumnType } from 'kysely';
import type { BigInteger, Identity } from './column.ts';

export interface CompanyTable {
  company_id: BigInteger;
  country_code: string;
  merged_into_id: ColumnType<string | null>;
  nip: string | null;
  regon9: string | null;
  krs: string | null;
  name: string | null;
  status: CompanyStatus;
  legal_form: string | null;
  voivodeship: string | null;
  city: string | null;
  postal_code: string | null;
  activity_main: string | null;
  activity_start: string | null;
  changed_snapshot_no: BigInteger;
}

export interface EntryTable {
  company_id: BigInteger;
  entry_id: BigInteger;
  fingerprint: BigInteger | null;
  content_hash: BigInteger;
  file_key: string;
  source: string;
  entry_key: string;
  country_code: string;
  nip: string | null;
  regon9: string | null;
  krs: string | null;
  entity_type: string;
  legal_form: string | null;
  name: string | null;
  surname: string | null;
  first_name: string | null;
  phone: string | null;
  email: string | null;
  fax: string | null;
  website: string | null;
  /** The address for electronic delivery. */
  e_delivery: string | null;
  postal_code: string | null;
  county: string | null;
  commune: string | null;
  city: string | null;
  street: string | null;
  building: string | null;
  apartment: string | null;
  voivodeship: string | null;
  activity_version: number | null;
  activity_main: string | null;
  activity_codes: string;
  declared_status: string;
  is_partnership_only: boolean;
  start_date: string | null;
  end_date: string | null;
  suspension_date: string | null;
  resumption_date: string | null;
  status: CompanyStatus;
  gone_date: string | null;
  changed_date: string;
  address_country_code: string | null;
  struck_off_date: string | null;
  bankruptcy_start_date: string | null;
  bankruptcy_end_date: string | null;
  bankruptcy_state: 'OPEN' | 'ENDED' | null;
  restructuring_start_date: string | null;
  restructuring_end_date: string | null;
  restructuring_state: 'OPEN' | 'ENDED' | null;
  version_no: number | null;
  version_date: string | null;
  units: JSONColumnType<Unit[]> | null;
  persons: JSONColumnType<Person[]> | null;
  other_dates: JSONColumnType<DatedEvent[]> | null;
}

/** As the snapshot shows it. */
export interface Unit {
  identifier: string | null;
  name: string | null;
  address: Record<
    'street' | 'building' | 'apartment' | 'city' | 'postal_code' | 'voivodeship' | 'country_code',
    string | null
  >;
  dates: DatedEvent[];
}

export interface DatedEvent {
  /** In Polish. */
  type: string;
  date: string;
}

export interface Person {
  kind: 'owner' | 'partner' | 'shareholder' | 'representative' | 'appointed';
  full_name: string;
  role: string;
}

type CompanyStatus = 'ACTIVE' | 'SUSPENDED' | 'DELETED';

export interface EventTable {
  company_id: BigInteger;
  event_id: BigInteger;
  entry_id: BigInteger;
  event_date: string;
  source: string;
  event_type: string;
  old_value: string | null;
  new_value: string | null;
}

export interface EventTypeTable {
  event_type: string;
  severity: string;
  event_class: string;
  category: string;
  description: string;
}

export interface SeverityTable {
  severity: string;
  rank: number;
}

export interface ActivityCodeTable {
  version: number;
  code: string;
  name: string;
}

/** A division or a group of PKD 2007. */
export interface ActivityGroupTable {
  code: string;
  name: string;
}

export interface LegalFormTable {
  symbol: string;
  valid_from: string;
  valid_to: string | null;
  slug: string;
  name: string;
  label: string;
}

/** The newest symbol of each legal form. */
export interface LegalFormSymbolView {
  slug: string;
  symbol: string;
  label: string;
}

export interface ActivitySectionTable {
  section: string;
  name: string;
}

export interface VoivodeshipTable {
  teryt: string;
  name: string;
  slug: string;
}

export interface RunTable {
  run_id: Identity;
  source: string;
  dump_date: string;
  state: 'running' | 'published' | 'refused' | 'failed' | 'abandoned';
  is_baseline: boolean;
  started_at: Date;
  finished_at: Date | null;
}

export interface DailyStatTable {
  source: string;
  stat_date: string;
  new_count: BigInteger;
  updated_count: BigInteger;
  deleted_count: BigInteger;
  entry_count: BigInteger;
  is_baseline: boolean;
}

export interface StockChangeTable {
  source: string;
  stat_date: string;
  /** A TERYT symbol. */
  voivodeship: string | null;
  activity_section: string | null;
  /** The newest symbol of the form. */
  legal_form: string | null;
  status: CompanyStatus;
  entry_change: BigInteger;
  new_count: BigInteger;
  ended_count: BigInteger;
  suspended_count: BigInteger;
  resumed_count: BigInteger;
}
