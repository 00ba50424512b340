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

type EventValues = [type: string, old: string | null, now: string | null];

/** A value of an entry, and the types of event where it is added, changed or removed. */
interface Field {
  read: (entry: Entry) => string | null;
  types: readonly string[];
}

function field(
  type: string,
  read: Field['read'],
  verbs: readonly string[] = ['ADDED', 'CHANGED', 'REMOVED'],
): Field {
  return { read, types: verbs.map((verb) => `${type}_${verb}`) };
}

const fields: readonly Field[] = [
  field('COMPANY_NAME', (entry) => clean(entry.name)),
  field('COMPANY_OWNER', (entry) => clean(`${entry.firstName} ${entry.surname}`)),
  field('COMPANY_PHONE', (entry) => clean(entry.phone)),
  field('COMPANY_EMAIL', (entry) => clean(entry.email)),
  field('COMPANY_WEBSITE', (entry) => clean(entry.website)),
  field('COMPANY_ADDRESS', addressLine),
  field('COMPANY_TAX_IDENTITY', (entry) => clean(entry.nip), ['ASSIGNED', 'CHANGED', 'REVOKED']),
  // Each entry has a start date.
  { read: (entry) => entry.startDate, types: ['', 'COMPANY_START_DATE_CHANGE', ''] },
  {
    read: (entry) => clean(entry.regon),
    types: ['COMPANY_REGON_ASSIGNED', 'ANOMALY_REGON_CHANGE', 'ANOMALY_REGON_CHANGE'],
  },
  {
    read: (entry) => clean(entry.endDate),
    types: ['COMPANY_CLOSED_DATE', 'COMPANY_CLOSED_DATE', 'COMPANY_REOPENED'],
  },
];

function compareField({ read, types }: Field, before: Entry, after: Entry): EventValues[] {
  const [old, now] = [read(before), read(after)];
  if (old === now) return [];
  const [added = '', changed = '', removed = ''] = types;
  return [[old === null ? added : now === null ? removed : changed, old, now]];
}

/**
 * Added, removed and main codes. From PKD 2007 to PKD 2025 the official key explains an old code when
 * one of its targets is among the new codes, and a new code when it is a target of one of the old ones.
 */
function compareActivities(before: Entry, after: Entry): EventValues[] {
  const isReclassified = before.codeYear !== after.codeYear;
  const targetsOf = (code: string) => (isReclassified ? keyTargets(code) : [code]);
  const [old, now] = [allCodes(before), allCodes(after)];
  const targets = old.flatMap(targetsOf);
  const isKept = (code: string) => targetsOf(code).some((target) => now.includes(target));
  const isKnown = (code: string) => targets.includes(code);
  const events: EventValues[] = [];
  if (isReclassified) {
    const [from, to] = [old.filter(isKept).toSorted(), now.filter(isKnown).toSorted()];
    events.push(['COMPANY_ACTIVITIES_RECLASSIFIED', from.join(','), to.join(',')]);
  }
  for (const code of old) if (!isKept(code)) events.push(['COMPANY_ACTIVITY_REMOVED', code, null]);
  for (const code of now) if (!isKnown(code)) events.push(['COMPANY_ACTIVITY_ADDED', null, code]);
  if (!targetsOf(before.mainCode).includes(after.mainCode)) {
    events.push(['COMPANY_MAIN_ACTIVITY_CHANGED', before.mainCode, after.mainCode]);
  }
  return events;
}

/** Where a date is blank, the date of the dump serves. */
function compareStatus(before: Entry, after: Entry, date: string): EventValues[] {
  if (before.status === after.status) return [];
  return after.status === suspended
    ? [['COMPANY_SUSPENDED', null, clean(after.suspensionDate) ?? date]]
    : [['COMPANY_RESUMED', before.suspensionDate, clean(after.resumptionDate) ?? date]];
}

function statusOn(date: string, { endDate, status }: Entry): string {
  if (endDate !== '' && endDate <= date) return 'DELETED';
  return status === suspended ? 'SUSPENDED' : 'ACTIVE';
}

function comparePresence(before: Entry, after: Entry, day: number): EventValues[] {
  if (before.goneOn === after.goneOn) return [];
  return before.goneOn === undefined
    ? [['COMPANY_STRUCK_OFF', statusOn(isoDate(day - 1), before), isoDate(day)]]
    : [['COMPANY_REOPENED', isoDate(before.goneOn), null]];
}

/** The events that the night must make of an entry; `day` is the date of its dump. */
export function expectEvents(before: Entry, after: Entry, day: number): ExpectedEvent[] {
  const events = [
    ...fields.flatMap((compared) => compareField(compared, before, after)),
    ...compareActivities(before, after),
    ...compareStatus(before, after, isoDate(day)),
    ...comparePresence(before, after, day),
  ];
  return events.map(([event_type, old_value, new_value]) => ({
    event_type,
    old_value,
    new_value,
    nip: clean(after.nip),
    regon9: clean(after.regon),
    name: clean(after.name),
  }));
}
