import { keyTargets } from './activity.ts';
import { addressLine } from './address.ts';
import { isoDate } from './calendar.ts';
import { allCodes, clean, suspended, type Entry } from './entry.ts';

/** An event that the night must make. */
export type ExpectedEvent = ReturnType<typeof expectEvents>[number];

type EventValues = [type: string, old: string | null, now: string | null];

function typesOf(field: string, ends = ['ADDED', 'CHANGED', 'REMOVED']): string[] {
  return ends.map((end) => `${field}_${end}`);
}

const regonChange = 'ANOMALY_REGON_CHANGE';
const closedDate = 'COMPANY_CLOSED_DATE';

/** How a value of an entry is read; the event types where it is added, changed and removed. */
const fields: readonly [read: (entry: Entry) => string, types: readonly string[]][] = [
  [({ name }) => name, typesOf('COMPANY_NAME')],
  [({ firstName, surname }) => `${firstName} ${surname}`, typesOf('COMPANY_OWNER')],
  [({ phone }) => phone, typesOf('COMPANY_PHONE')],
  [({ email }) => email, typesOf('COMPANY_EMAIL')],
  [({ website }) => website, typesOf('COMPANY_WEBSITE')],
  [addressLine, typesOf('COMPANY_ADDRESS')],
  [({ nip }) => nip, typesOf('COMPANY_TAX_IDENTITY', ['ASSIGNED', 'CHANGED', 'REVOKED'])],
  // Each entry has a start date.
  [({ startDate }) => startDate, ['', 'COMPANY_START_DATE_CHANGE', '']],
  [({ regon }) => regon, ['COMPANY_REGON_ASSIGNED', regonChange, regonChange]],
  [({ endDate }) => endDate, [closedDate, closedDate, 'COMPANY_REOPENED']],
];

function compareFields(before: Entry, after: Entry): EventValues[] {
  return fields.flatMap(([read, [added = '', changed = '', removed = '']]): EventValues[] => {
    const [old, now] = [clean(read(before)), clean(read(after))];
    if (old === now) return [];
    return [[old === null ? added : now === null ? removed : changed, old, now]];
  });
}

/**
 * Added, removed and main codes. From PKD 2007 to PKD 2025 the official key explains an old code when
 * one of its targets is among the new codes, and a new code when it is a target of one of the old ones.
 * A code that stays is neither added nor removed.
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
  const removed = old.filter((code) => !isKept(code) && !now.includes(code));
  const added = now.filter((code) => !isKnown(code) && !old.includes(code));
  for (const code of removed) events.push(['COMPANY_ACTIVITY_REMOVED', code, null]);
  for (const code of added) events.push(['COMPANY_ACTIVITY_ADDED', null, code]);
  if (![before.mainCode, ...targetsOf(before.mainCode)].includes(after.mainCode)) {
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

/** The events that the night must make of an entry, which is named as it stands after the change. */
export function expectEvents(before: Entry, after: Entry, day: number) {
  const events = [
    ...compareFields(before, after),
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
