import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { readWords } from '../dictionaries/words.ts';
import {
  companyStatus,
  identifier,
  identifiersOf,
  listValues,
  type Numbers,
} from './identifier.ts';

const addressField = z
  .strictObject({
    street: z.string(),
    building: z.string(),
    apartment: z.string(),
    city: z.string(),
    postal_code: z.string(),
    voivodeship: z.string(),
    country_code: z.string(),
  })
  .meta({
    id: 'Address',
    description: 'An address; a part that the registry does not know is an empty string.',
  });

const labelledDate = z
  .strictObject({
    type: z.string().meta({
      description: 'What happened on that day, in the language of `lang`, else of the registry.',
    }),
    date: z.iso.date(),
  })
  .meta({ id: 'LabelledDate', description: 'A day in the life of a company or of a unit.' });

const unit = z
  .strictObject({
    identifier: z.string().meta({ description: 'The number of the unit, such as its REGON.' }),
    name: z.string(),
    address: addressField,
    dates: z.array(labelledDate),
    is_closed: z.literal(true).optional().meta({
      description: '(+) The unit is closed; absent where it is open.',
    }),
  })
  .meta({ id: 'Unit', description: 'A local unit of the company.' });

const contactType = z.enum(['phone', 'email', 'fax', 'e_delivery']);

const activity = z
  .strictObject({ code: z.string(), name: z.string(), is_primary: z.boolean() })
  .meta({ id: 'Activity', description: 'A kind of business that a company does.' });

const provenance = z
  .strictObject({
    dump_date: z.iso.date().nullable(),
    file: z.string().nullable(),
    sha256: z.string().nullable(),
    line: z.int().nullable(),
    said_since: z.iso.date(),
  })
  .meta({
    id: 'Provenance',
    description:
      '(+) The dump that first said what the profile says now. The file is null for what was imported on demand, and for an entry that is gone.',
  });

const profile = z
  .strictObject({
    source: z
      .string()
      .meta({ description: 'The registry, such as `ceidg`, `regon`, `krs` or `sirene`' }),
    name: z.string(),
    status: companyStatus,
    legal_form: z.string(),
    address: addressField,
    units: z.array(unit),
    closed_unit_count: z.int().optional().meta({
      description:
        '(+) How many units are closed, which `units` leaves out; absent where none are.',
    }),
    contacts: z.array(z.strictObject({ type: contactType, value: z.string() })),
    activities: z.array(activity),
    dates: z.array(labelledDate),
    websites: z.array(z.strictObject({ type: z.literal('website'), value: z.string() })),
    provenance,
  })
  .meta({ id: 'Profile', description: 'What one registry entry says of the company.' });

const person = z
  .strictObject({
    full_name: z.string(),
    role: z.string(),
    holding: z.string().optional().meta({
      description: "(+) Count and value of a shareholder's shares, as the registry words them.",
    }),
  })
  .meta({ id: 'Person', description: 'A person with a role in the company.' });

const company = z
  .strictObject({
    identity: z.strictObject({
      identifiers: z.array(identifier),
      company_type: z.string(),
      country_code: z.string(),
    }),
    profiles: z.array(profile),
    persons: z.array(person),
  })
  .meta({ id: 'Company', description: 'What the registries say of a company.' });

export const snapshotAnswer = z.strictObject({
  status: z.literal('success'),
  data: company,
  meta: z.strictObject({ fetched_at: z.iso.datetime({ offset: true }) }),
});

type SnapshotDictionary = Awaited<ReturnType<typeof readSnapshotDictionary>>;

/**
 * The names in a snapshot. Keys are country or version and code: `2025 4711Z`, `PL 14`. Where a
 * classification has no names of divisions, groups and classes, one of a single code has its name.
 */
export async function readSnapshotDictionary(db: Db) {
  type Named = { key: string; name: string; name_en: string | null };
  const { rows: activities } = await sql<Named>`
    select version || ' ' || code as key, name from registry.activity_code
    union all
    select version || ' ' || code, name from registry.activity_group
    union all
    select part.version || ' ' || part.code, case
      when count(*) = 1 then min(part.name)
      else replace(word.text, '{code}', regexp_replace(part.code, '^(..)(.)', '\\1.\\2'))
    end
    from registry.activity_scheme as scheme
    join registry.country using (country_code)
    cross join (values (2, 'division'), (3, 'group'), (4, 'class')) as level (length, kind)
    join registry.country_word as word
      on word.country_code = scheme.country_code
      and word.language = country.language
      and word.word = level.kind
    cross join lateral (
      select version, left(code, level.length) as code, name
      from registry.activity_code
      where activity_code.version = scheme.version
    ) as part
    where not exists (
      select from registry.activity_group where activity_group.version = scheme.version
    )
    group by part.version, part.code, word.text
  `.execute(db);
  const { rows: legalForms } = await sql<Named>`
    select country_code || ' ' || symbol as key, label as name, label_en as name_en
    from registry.legal_form_symbol
  `.execute(db);
  const { rows: regions } = await sql<Named>`
    select country_code || ' ' || code as key, name from registry.region
  `.execute(db);
  return {
    words: await readWords(db),
    activityNames: new Map(activities.map(({ key, name }) => [key, name])),
    legalForms: new Map(legalForms.map((one) => [one.key, one])),
    regions: new Map(regions.map(({ key, name }) => [key, name])),
  };
}

/** What a snapshot is written with: the dictionary, and the language of its labels, by default the registry's. */
type SnapshotWords = SnapshotDictionary & { lang: string | undefined };

/** In the order of a company's life. */
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

/** `number` distinguishes persons of one name; it is not shown. */
type Person = z.output<typeof person> & { number?: string };

type LabelledDate = z.output<typeof labelledDate>;

/** The fields of a unit that are no texts. */
interface UnitContent {
  address?: Address;
  dates: LabelledDate[];
  is_closed?: true;
}

/** A row of `registry.entry`, as far as a snapshot shows it. */
export interface SnapshotEntry
  extends
    Numbers,
    Omit<Address, 'country_code'>,
    Texts<z.output<typeof contactType> | 'website'>,
    Texts<(typeof dateColumns)[number]> {
  source: string;
  country_code: string;
  entity_type: string;
  legal_form: string | null;
  name: string | null;
  surname: string | null;
  first_name: string | null;
  activity_version: number | null;
  activity_main: string | null;
  activity_codes: string;
  status: string;
  gone_date: string | null;
  address_country_code: string | null;
  closed_unit_count: number | null;
  units: (Texts<'identifier' | 'name'> & UnitContent)[] | null;
  persons: Person[] | null;
  other_dates: LabelledDate[] | null;
  provenance: z.output<typeof provenance>;
}

function viewDates(entry: SnapshotEntry, { words, lang }: SnapshotWords): LabelledDate[] {
  // An entry that is gone from its registry counts as struck off on the first day without the entry.
  const dated = { ...entry, struck_off_date: entry.struck_off_date ?? entry.gone_date };
  const dates = dateColumns.flatMap((column) => {
    const date = dated[column];
    const type = words.find(entry.country_code, column, lang) ?? column;
    return date === null ? [] : { type, date };
  });
  return [...dates, ...translateDates(entry, entry.other_dates ?? [], { words, lang })];
}

/** The days that a registry labels itself. */
function translateDates(
  { country_code }: SnapshotEntry,
  dates: LabelledDate[],
  { words, lang }: Pick<SnapshotWords, 'words' | 'lang'>,
): LabelledDate[] {
  return dates.map(({ type, date }) => ({ type: words.translate(country_code, type, lang), date }));
}

const addressParts = addressField.keyof().options;

// Spec: all fields of an address are strings; an unknown part is an empty string.
function viewAddress(address: Address) {
  return Object.fromEntries(addressParts.map((part) => [part, address[part] ?? '']));
}

function addressOf(entry: SnapshotEntry, { regions }: SnapshotDictionary): Address {
  const voivodeship = regions.get(`${entry.country_code} ${entry.voivodeship}`) ?? null;
  const address = { ...entry, voivodeship, country_code: entry.address_country_code };
  // An address without a country is in the country of the registry; a blank one is of an unknown country.
  if (addressParts.some((part) => address[part])) address.country_code ??= entry.country_code;
  return address;
}

function viewActivities(entry: SnapshotEntry, { activityNames }: SnapshotDictionary) {
  const { activity_version, activity_main, activity_codes } = entry;
  // The main activity comes first, and only once.
  const codes = new Set([activity_main ?? '', ...activity_codes.split(',')]);
  codes.delete('');
  return [...codes].map((code) => {
    // Old entries hold codes of divisions, groups and classes. A class of 2007 has the name of its group.
    const keys = code.length === 4 ? [code, code.slice(0, 3)] : [code];
    const name = keys.map((key) => activityNames.get(`${activity_version} ${key}`)).find(Boolean);
    return { code, name: name ?? '', is_primary: code === activity_main };
  });
}

function fullNameOf({ first_name, surname }: SnapshotEntry): string {
  return [first_name, surname].filter((part) => part !== null).join(' ');
}

function legalFormOf(
  { country_code, legal_form }: SnapshotEntry,
  { legalForms, lang }: SnapshotWords,
) {
  const form = legalForms.get(`${country_code} ${legal_form}`);
  return (lang === 'en' ? form?.name_en : form?.name) ?? legal_form ?? '';
}

function viewProfile(entry: SnapshotEntry, dictionary: SnapshotWords) {
  return {
    source: entry.source,
    name: entry.name ?? fullNameOf(entry),
    status: entry.status,
    legal_form: legalFormOf(entry, dictionary),
    address: viewAddress(addressOf(entry, dictionary)),
    units: (entry.units ?? []).map((one) => ({
      identifier: one.identifier ?? '',
      name: one.name ?? '',
      // A unit without an address of its own is the head office.
      address: viewAddress(one.address ?? addressOf(entry, dictionary)),
      dates: translateDates(entry, one.dates, dictionary),
      ...(one.is_closed && { is_closed: one.is_closed }),
    })),
    ...(entry.closed_unit_count && { closed_unit_count: entry.closed_unit_count }),
    contacts: listValues([entry], contactType.options),
    activities: viewActivities(entry, dictionary),
    dates: viewDates(entry, dictionary),
    websites: listValues([entry], ['website']),
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
  const told = persons.map(
    ({ full_name, role, holding, number }) =>
      [
        [full_name, role, holding, number].join('\n'),
        { full_name, role, ...(holding && { holding }) },
      ] as const,
  );
  return [...new Map(told).values()];
}

/** @param entries all entries of a company, at least one; `api/read_snapshot.sql` orders them */
export function viewSnapshot(entries: SnapshotEntry[], dictionary: SnapshotWords) {
  const { entity_type, country_code } = entries[0]!;
  return {
    identity: { identifiers: identifiersOf(entries), company_type: entity_type, country_code },
    profiles: entries.map((entry) => viewProfile(entry, dictionary)),
    persons: viewPersons(entries, dictionary),
  };
}
