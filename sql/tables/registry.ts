import type { BigInteger } from './column.ts';

export interface RegistryTables {
  'registry.company': {
    company_id: BigInteger;
    name: string | null;
  };
  'registry.event_type': {
    event_type: string;
    severity: string;
    event_class: string;
    category: string;
  };
  'registry.activity_code': {
    version: number;
    code: string;
    name: string;
  };
  'registry.activity_scheme': {
    version: number;
    scheme: string;
    country_code: string;
    name: string;
    year: number;
  };
  'registry.country': {
    country_code: string;
    name: string;
    name_en: string;
    language: string;
    time_zone: string;
    /** The regular expression of an activity code without dots. */
    activity_pattern: string;
    is_default: boolean;
  };
  'registry.country_word': {
    country_code: string;
    /** The language of the text, such as `pl`; empty for a text that is the same in all languages. */
    language: string;
    word: string;
    text: string;
  };
  'registry.identifier_type': {
    identifier_type: string;
    country_code: string;
    rank: number;
    pattern: string;
    form: string;
  };
  'registry.attribute_type': {
    country_code: string;
    attribute_type: string;
    rank: number;
    label: string;
    label_en: string;
    /** The column of `registry.entry` that holds the value; null if the column `attributes` holds it. */
    column_name: 'legal_form' | 'announced_activity' | null;
    /** The value of the type for entries whose attributes lack the type. */
    usual_value: string | null;
    /** Another type whose value begins with this type's value: a commune's code begins with the department's. */
    part_of: string | null;
  };
  /** One row per legal form, with the newest symbol by which registries code the form. */
  'registry.legal_form_symbol': {
    country_code: string;
    slug: string;
    symbol: string;
    label: string;
    label_en: string;
  };
  'registry.activity_section': {
    country_code: string;
    section: string;
    name: string;
    name_en: string | null;
  };
  'registry.source': {
    source: string;
  };
  'registry.region': {
    country_code: string;
    code: string;
    name: string;
    slug: string;
  };
  'analyst.daily_stat': {
    source: string;
    date: string;
    country_code: string;
    entry_count: BigInteger;
  };
}
