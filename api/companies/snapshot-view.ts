import { identifiersOf, listValues } from './identifier.ts';
import { viewAttributes } from './snapshot-attributes.ts';
import { listDates, viewActivities } from './snapshot-dates-and-activities.ts';
import type { SnapshotWords } from './snapshot-dictionary.ts';
import type { Address, LabelledDate, SnapshotEntry } from './snapshot-entry.ts';
import { addressField, contactType } from './snapshot-fields.ts';
import { fullNameOf, viewPersons } from './snapshot-persons.ts';

const addressParts = addressField.keyof().options;

// Spec: all fields of an address are strings; so an unknown part of an address is an empty string.
function viewAddress(address: Address) {
  return Object.fromEntries(addressParts.map((part) => [part, address[part] ?? '']));
}

function addressOf(entry: SnapshotEntry, { regions }: SnapshotWords): Address {
  const voivodeship = regions.get(`${entry.country_code} ${entry.voivodeship}`)?.name ?? null;
  const address = { ...entry, voivodeship, country_code: entry.address_country_code };
  // An address without a country gets the registry's country, unless all parts of the address are missing.
  if (addressParts.some((part) => address[part])) address.country_code ??= entry.country_code;
  return address;
}

function viewProfile(entry: SnapshotEntry, dictionary: SnapshotWords) {
  const { words, lang, legalForms, activities } = dictionary;
  const { country_code, legal_form, other_dates } = entry;
  const form = legalForms.get(`${country_code} ${legal_form}`);
  /** Translates the labels of dates that a registry states together with a label. */
  const translate = (dates: LabelledDate[]) =>
    dates.map((one) => ({ ...one, type: words.translate(country_code, one.type, lang) }));
  /** Returns code and name of a local unit's activity; `key` has the version and the code (`2025 4711Z`). */
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
      // A local unit without an address of its own is the head office, so it gets the address of the entry.
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

/** Returns the snapshot of a company, made from its entries; `api/read_snapshot.sql` sets the order of the entries. */
export function viewSnapshot(entries: SnapshotEntry[], dictionary: SnapshotWords) {
  const { entity_type, country_code } = entries[0]!;
  return {
    identity: { identifiers: identifiersOf(entries), company_type: entity_type, country_code },
    profiles: entries.map((entry) => viewProfile(entry, dictionary)),
    persons: viewPersons(entries, dictionary),
  };
}
