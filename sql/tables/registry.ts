import type { BigInteger } from './column.ts';

export interface RegistryTables {
  'registry.company': {
    company_id: BigInteger;
    nip: string | null;
    regon9: string | null;
    krs: string | null;
    name: string | null;
    status: CompanyStatus;
  };
  'registry.event_type': {
    event_type: string;
    severity: string;
    event_class: string;
    category: string;
    description: string;
  };
  'registry.activity_code': {
    version: number;
    code: string;
    name: string;
  };
  /** A division or a group of PKD 2007. */
  'registry.activity_group': {
    code: string;
    name: string;
  };
  /** The newest symbol of each legal form. */
  'registry.legal_form_symbol': {
    slug: string;
    symbol: string;
    label: string;
  };
  'registry.activity_section': {
    section: string;
    name: string;
  };
  'registry.voivodeship': {
    teryt: string;
    name: string;
    slug: string;
  };
  'registry.daily_stat': {
    source: string;
    stat_date: string;
    entry_count: BigInteger;
  };
  'registry.stock_change': {
    source: string;
    stat_date: string;
    /** A TERYT symbol. */
    voivodeship: string | null;
    activity_section: string | null;
    /** The newest symbol of the form. */
    legal_form: string | null;
    status: CompanyStatus;
    entry_change: BigInteger;
  };
}

/** A row of `registry.entry`, as far as a snapshot shows it. */
export interface SnapshotEntry {
  source: string;
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
  city: string | null;
  street: string | null;
  building: string | null;
  apartment: string | null;
  voivodeship: string | null;
  activity_version: number | null;
  activity_main: string | null;
  activity_codes: string;
  start_date: string | null;
  end_date: string | null;
  suspension_date: string | null;
  resumption_date: string | null;
  status: CompanyStatus;
  gone_date: string | null;
  address_country_code: string | null;
  struck_off_date: string | null;
  bankruptcy_start_date: string | null;
  bankruptcy_end_date: string | null;
  restructuring_start_date: string | null;
  restructuring_end_date: string | null;
  units: Unit[] | null;
  persons: Person[] | null;
  other_dates: DatedEvent[] | null;
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
