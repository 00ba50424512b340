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
  /** A division or a group of a classification. */
  'registry.activity_group': {
    version: number;
    code: string;
    name: string;
  };
  /** The newest symbol of each legal form. */
  'registry.legal_form_symbol': {
    slug: string;
    symbol: string;
    label: string;
    label_en: string;
    country_code: string;
  };
  'registry.activity_section': {
    country_code: string;
    section: string;
    name: string;
    name_en: string;
  };
  'registry.voivodeship': {
    teryt: string;
    name: string;
    slug: string;
    country_code: string;
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

type CompanyStatus = 'ACTIVE' | 'SUSPENDED' | 'DELETED';
