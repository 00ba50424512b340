import type { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { readWords } from '../dictionaries/words.ts';
import { identifiersOf, listValues, type Numbers } from './identifier.ts';
import {
  addressField,
  contactType,
  type labelledDate,
  type person,
  type provenance,
} from './snapshot-fields.ts';

/** Reads the names that snapshots show for codes. A key is a version or country and a code: `2025 4711Z`, `PL 14`. */
export async function readSnapshotDictionary(db: Db) {
  type Name = { kind: string; key: string; name: string; name_en: string | null };
  const names = await runPrepared<Name>(db, 'api/code_names.sql', []);
  const ofKind = (kind: string) =>
    new Map(names.filter((one) => one.kind === kind).map((one) => [one.key, one]));
  return {
    words: await readWords(db),
    activities: ofKind('activity'),
    legalForms: ofKind('legal form'),
    regions: ofKind('region'),
    attributeTypes: await db
      .selectFrom('registry.attribute_type')
      .selectAll()
      .orderBy('rank')
      .execute(),
    attributeValues: ofKind('attribute'),
  };
}

/** The dictionary of a snapshot, and the language of its labels; undefined: the registry's language. */
type SnapshotWords = Awaited<ReturnType<typeof readSnapshotDictionary>> & {
  lang: string | undefined;
};

/** The columns that hold dates, in the order of a company's life. */
const dateColumns = [
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

type Address = Texts<keyof z.output<typeof addressField>>;

/** A person of an entry. Its `number` distinguishes persons of one name, and is not shown. */
type Person = z.output<typeof person> & { number?: string };

type LabelledDate = z.output<typeof labelledDate>;

/** A local unit of an entry. */
type Unit = Texts<'identifier' | 'name'> & {
  address?: Address;
  dates: LabelledDate[];
  is_closed?: true;
};

/** The columns of `registry.entry` that a snapshot shows. */
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
  /** The values by type; the year of a statistic follows the value. */
  attributes: Record<string, string> | null;
  unit_activities: Record<string, string> | null;
  provenance: z.output<typeof provenance>;
}

/** Returns the dates that an entry has in its columns, with labels. */
function listDates(entry: SnapshotEntry, { words, lang }: SnapshotWords): LabelledDate[] {
  // An entry that is gone from its registry counts as struck off on the first day without the entry.
  const dated = { ...entry, struck_off_date: entry.struck_off_date ?? entry.gone_date };
  return dateColumns.flatMap((column) => {
    const date = dated[column];
    const type = words.find(entry.country_code, column, lang) ?? column;
    return date === null ? [] : { type, date };
  });
}

const addressParts = addressField.keyof().options;

// Spec: all fields of an address are strings; an unknown part is an empty string.
function viewAddress(address: Address) {
  return Object.fromEntries(addressParts.map((part) => [part, address[part] ?? '']));
}

function addressOf(entry: SnapshotEntry, { regions }: SnapshotWords): Address {
  const voivodeship = regions.get(`${entry.country_code} ${entry.voivodeship}`)?.name ?? null;
  const address = { ...entry, voivodeship, country_code: entry.address_country_code };
  // An address without a country is in the registry's country. A blank address has no country.
  if (addressParts.some((part) => address[part])) address.country_code ??= entry.country_code;
  return address;
}

function viewActivities(entry: SnapshotEntry, { activities }: SnapshotWords) {
  const { activity_version, activity_main, activity_codes } = entry;
  // The main activity comes first, and only once.
  const codes = new Set([activity_main ?? '', ...activity_codes.split(',')]);
  codes.delete('');
  return [...codes].map((code) => {
    // Old entries hold codes of divisions, groups and classes. A class without a name takes the name of its group.
    const keys = code.length === 4 ? [code, code.slice(0, 3)] : [code];
    const named = keys.map((key) => activities.get(`${activity_version} ${key}`)).find(Boolean);
    return { code, name: named?.name ?? '', is_primary: code === activity_main };
  });
}

/** Returns the attributes of an entry in the order of the dictionary, each labelled by its type and its value. */
function viewAttributes(entry: SnapshotEntry, dictionary: SnapshotWords) {
  const { attributeTypes, attributeValues, lang } = dictionary;
  const { country_code, attributes: stated } = entry;
  return attributeTypes.flatMap(({ attribute_type: type, column_name, part_of, ...about }) => {
    if (about.country_code !== country_code) return [];
    const find = (code: string) => attributeValues.get(`${country_code} ${type} ${code}`);
    const whole = stated?.[part_of ?? ''] ?? '';
    const stored = column_name
      ? entry[column_name]
      : (stated?.[type] ??
        (stated && about.usual_value) ??
        [2, 3].map((length) => whole.slice(0, length)).find(find));
    // The year of a statistic follows its value.
    const [, value, year] = /^(.+?)(?: (\d{4}))?$/.exec(stored ?? '') ?? [];
    if (!value) return [];
    const [words, name] =
      lang === 'en' ? [about.label_en, find(value)?.name_en] : [about.label, undefined];
    const label = `${[words, year].filter(Boolean).join(' ')}: ${name ?? find(value)?.name ?? value}`;
    return { type, label, value, ...(year && { year }) };
  });
}

function fullNameOf({ first_name, surname }: SnapshotEntry): string {
  return [first_name, surname].filter((part) => part !== null).join(' ');
}

function viewProfile(entry: SnapshotEntry, dictionary: SnapshotWords) {
  const { words, lang, legalForms, activities } = dictionary;
  const { country_code, legal_form, other_dates } = entry;
  const form = legalForms.get(`${country_code} ${legal_form}`);
  /** Returns dates that a registry labels itself, with their labels translated. */
  const translate = (dates: LabelledDate[]) =>
    dates.map((one) => ({ ...one, type: words.translate(country_code, one.type, lang) }));
  /** Returns the activity of a unit by its version and code. */
  const nameActivity = (key = '') =>
    key && { activity: { code: key.replace(/.* /, ''), name: activities.get(key)?.name ?? '' } };
  return {
    source: entry.source,
    name: entry.name ?? fullNameOf(entry),
    other_names: entry.other_names ?? [],
    status: entry.status,
    legal_form: (lang === 'en' ? form?.name_en : form?.name) ?? legal_form ?? '',
    address: viewAddress(addressOf(entry, dictionary)),
    units: (entry.units ?? []).map((one) => ({
      identifier: one.identifier ?? '',
      name: one.name ?? '',
      // A unit without its own address is the head office, at the address of the entry.
      address: viewAddress(one.address ?? addressOf(entry, dictionary)),
      dates: translate(one.dates),
      ...(one.is_closed && { is_closed: one.is_closed }),
      ...nameActivity(entry.unit_activities?.[one.identifier ?? '']),
    })),
    ...(entry.closed_unit_count && { closed_unit_count: entry.closed_unit_count }),
    contacts: listValues([entry], contactType.options),
    activities: viewActivities(entry, dictionary),
    dates: [...listDates(entry, dictionary), ...translate(other_dates ?? [])],
    websites: listValues([entry], ['website']),
    attributes: viewAttributes(entry, dictionary),
    provenance: entry.provenance,
  };
}

function viewPersons(entries: SnapshotEntry[], { words, lang }: SnapshotWords) {
  const persons = entries.flatMap((entry) => {
    const ownerRole = words.find(entry.country_code, 'owner', lang) ?? 'owner';
    const owner: Person = { full_name: fullNameOf(entry), role: ownerRole };
    const others = entry.persons ?? [];
    return owner.full_name === '' ? others : [owner, ...others];
  });
  const byContent = new Map(
    persons.map(({ full_name, role, holding, number }) => [
      [full_name, role, holding, number].join('\n'),
      { full_name, role, ...(holding && { holding }) },
    ]),
  );
  return [...byContent.values()];
}

/** Returns a snapshot. @param entries all entries of a company, at least one, as `api/read_snapshot.sql` orders them */
export function viewSnapshot(entries: SnapshotEntry[], dictionary: SnapshotWords) {
  const { entity_type, country_code } = entries[0]!;
  return {
    identity: { identifiers: identifiersOf(entries), company_type: entity_type, country_code },
    profiles: entries.map((entry) => viewProfile(entry, dictionary)),
    persons: viewPersons(entries, dictionary),
  };
}
