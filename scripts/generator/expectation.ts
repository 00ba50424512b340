import { keyTargets } from './activity.ts';
import { addressLine } from './address.ts';
import { isoDate } from './calendar.ts';
import { allCodes, clean, suspended, type Entry } from './entry.ts';

/**
 * One event that the night must make. `nip`, `regon9` and `name` identify the entry as it stands
 * after the change; of an entry that is gone, the last known.
 */
export interface ExpectedEvent {
  event_type: string;
  old_value: string | null;
  new_value: string | null;
  nip: string | null;
  regon9: string | null;
  name: string | null;
}

type Told = [type: string, old: string | null, now: string | null];

/** A value of an entry, and the types of event where it is added, changed or removed. */
interface Field {
  read: (entry: Entry) => string | null;
  added: string;
  changed: string;
  removed: string;
}

function optional(type: string, read: Field['read']): Field {
  return { read, added: `${type}_ADDED`, changed: `${type}_CHANGED`, removed: `${type}_REMOVED` };
}

/** A value that each entry has. */
function required(changed: string, read: Field['read']): Field {
  return { read, added: changed, changed, removed: changed };
}

const fields: readonly Field[] = [
  required('COMPANY_NAME_CHANGED', (entry) => clean(entry.name)),
  required('COMPANY_OWNER_CHANGED', (entry) => clean(`${entry.firstName} ${entry.surname}`)),
  required('COMPANY_START_DATE_CHANGE', (entry) => entry.startDate),
  optional('COMPANY_PHONE', (entry) => clean(entry.phone)),
  optional('COMPANY_EMAIL', (entry) => clean(entry.email)),
  optional('COMPANY_WEBSITE', (entry) => clean(entry.website)),
  optional('COMPANY_ADDRESS', addressLine),
  {
    read: (entry) => clean(entry.nip),
    added: 'COMPANY_TAX_IDENTITY_ASSIGNED',
    changed: 'COMPANY_TAX_IDENTITY_CHANGED',
    removed: 'COMPANY_TAX_IDENTITY_REVOKED',
  },
  {
    read: (entry) => clean(entry.regon),
    added: 'COMPANY_REGON_ASSIGNED',
    changed: 'ANOMALY_REGON_CHANGE',
    removed: 'ANOMALY_REGON_CHANGE',
  },
  {
    read: (entry) => clean(entry.endDate),
    added: 'COMPANY_CLOSED_DATE',
    changed: 'COMPANY_CLOSED_DATE',
    removed: 'COMPANY_REOPENED',
  },
];

function compareField(
  { read, added, changed, removed }: Field,
  before: Entry,
  after: Entry,
): Told[] {
  const [old, now] = [read(before), read(after)];
  if (old === now) return [];
  return [[old === null ? added : now === null ? removed : changed, old, now]];
}

/**
 * Added, removed and main codes. From PKD 2007 to PKD 2025 the official key explains an old code when
 * one of its targets is among the new codes, and a new code when it is a target of one of the old ones.
 */
function compareActivities(before: Entry, after: Entry): Told[] {
  const isReclassified = before.codeYear !== after.codeYear;
  const targetsOf = (code: string) => (isReclassified ? keyTargets(code) : [code]);
  const [old, now] = [allCodes(before), allCodes(after)];
  const targets = old.flatMap(targetsOf);
  const isKept = (code: string) => targetsOf(code).some((target) => now.includes(target));
  const isKnown = (code: string) => targets.includes(code);
  const told: Told[] = [];
  if (isReclassified) {
    const [from, to] = [old.filter(isKept).toSorted(), now.filter(isKnown).toSorted()];
    told.push(['COMPANY_ACTIVITIES_RECLASSIFIED', from.join(','), to.join(',')]);
  }
  for (const code of old) if (!isKept(code)) told.push(['COMPANY_ACTIVITY_REMOVED', code, null]);
  for (const code of now) if (!isKnown(code)) told.push(['COMPANY_ACTIVITY_ADDED', null, code]);
  if (!targetsOf(before.mainCode).includes(after.mainCode)) {
    told.push(['COMPANY_MAIN_ACTIVITY_CHANGED', before.mainCode, after.mainCode]);
  }
  return told;
}

/** Where a date is blank, the date of the dump serves. */
function compareStatus(before: Entry, after: Entry, date: string): Told[] {
  if (before.status === after.status) return [];
  return after.status === suspended
    ? [['COMPANY_SUSPENDED', null, clean(after.suspensionDate) ?? date]]
    : [['COMPANY_RESUMED', before.suspensionDate, clean(after.resumptionDate) ?? date]];
}

function statusOn(date: string, { endDate, status }: Entry): string {
  if (endDate !== '' && endDate <= date) return 'DELETED';
  return status === suspended ? 'SUSPENDED' : 'ACTIVE';
}

function comparePresence(before: Entry, after: Entry, day: number): Told[] {
  if (before.goneOn === after.goneOn) return [];
  return before.goneOn === undefined
    ? [['COMPANY_STRUCK_OFF', statusOn(isoDate(day - 1), before), isoDate(day)]]
    : [['COMPANY_REOPENED', isoDate(before.goneOn), null]];
}

/** The events that the night must make of an entry; `day` is the date of its dump. */
export function expectEvents(before: Entry, after: Entry, day: number): ExpectedEvent[] {
  const told = [
    ...fields.flatMap((field) => compareField(field, before, after)),
    ...compareActivities(before, after),
    ...compareStatus(before, after, isoDate(day)),
    ...comparePresence(before, after, day),
  ];
  return told.map(([event_type, old_value, new_value]) => ({
    event_type,
    old_value,
    new_value,
    nip: clean(after.nip),
    regon9: clean(after.regon),
    name: clean(after.name),
  }));
}
