import { keyTargets } from './activity.ts';
import { addressLine } from './address.ts';
import { allCodes, clean, suspended, type Entry } from './entry.ts';
import type { ChangeKind } from './share.ts';

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

/** The dates that an expectation may depend on, `YYYY-MM-DD`. */
export interface Night {
  /** Date of today's dump. */
  date: string;
  /** Date of the dump before. */
  yesterday: string;
  /** Date of the dump from which a returning entry had gone. */
  goneOn: string;
}

type Told = [type: string, old: string | null, now: string | null];
type Expectation = (before: Entry, after: Entry, night: Night) => Told[];

/** The event of a field that is added, changed or removed, by which of the two values is there. */
function fieldEvent(type: string, read: (entry: Entry) => string | null): Expectation {
  return (before, after) => {
    const old = read(before);
    const now = read(after);
    const verb = old === null ? 'ADDED' : now === null ? 'REMOVED' : 'CHANGED';
    return [[`${type}_${verb}`, old, now]];
  };
}

function ownerName({ firstName, surname }: Entry): string | null {
  return clean(`${firstName} ${surname}`);
}

function statusOn(date: string, { endDate, status }: Entry): string {
  if (endDate !== '' && endDate <= date) return 'DELETED';
  return status === suspended ? 'SUSPENDED' : 'ACTIVE';
}

/**
 * A move from PKD 2007 to PKD 2025: the official key explains an old code when one of its targets is
 * among the new codes, and a new code when it is a target of one of the old ones.
 */
function reclassification(before: Entry, after: Entry): Told[] {
  const [old, now] = [allCodes(before), allCodes(after)];
  const targets = old.flatMap(keyTargets);
  const isKept = (code: string): boolean => keyTargets(code).some((c) => now.includes(c));
  const isKnown = (code: string): boolean => targets.includes(code);
  const [from, to] = [old.filter(isKept).toSorted(), now.filter(isKnown).toSorted()];
  const told: Told[] = [['COMPANY_ACTIVITIES_RECLASSIFIED', from.join(','), to.join(',')]];
  for (const code of old) if (!isKept(code)) told.push(['COMPANY_ACTIVITY_REMOVED', code, null]);
  for (const code of now) if (!isKnown(code)) told.push(['COMPANY_ACTIVITY_ADDED', null, code]);
  if (!keyTargets(before.mainCode).includes(after.mainCode)) {
    told.push(['COMPANY_MAIN_ACTIVITY_CHANGED', before.mainCode, after.mainCode]);
  }
  return told;
}

const phone = fieldEvent('COMPANY_PHONE', (entry) => clean(entry.phone));
const email = fieldEvent('COMPANY_EMAIL', (entry) => clean(entry.email));
const website = fieldEvent('COMPANY_WEBSITE', (entry) => clean(entry.website));
const address = fieldEvent('COMPANY_ADDRESS', addressLine);
const closing: Expectation = (before, after) => [
  ['COMPANY_CLOSED_DATE', clean(before.endDate), after.endDate],
];
const regonAnomaly: Expectation = (before, after) => [
  ['ANOMALY_REGON_CHANGE', before.regon, clean(after.regon)],
];
const silent: Expectation = () => [];

/** The events that each kind of change must make, and no others. */
const expectations: Record<ChangeKind, Expectation> = {
  name: (before, after) => [['COMPANY_NAME_CHANGED', clean(before.name), clean(after.name)]],
  owner: (before, after) => [['COMPANY_OWNER_CHANGED', ownerName(before), ownerName(after)]],
  start_date: (before, after) => [['COMPANY_START_DATE_CHANGE', before.startDate, after.startDate]],
  phone_added: phone,
  phone_changed: phone,
  phone_removed: phone,
  email_added: email,
  email_changed: email,
  email_removed: email,
  website_added: website,
  website_changed: website,
  website_removed: website,
  address_added: address,
  address_changed: address,
  address_removed: address,
  moved: address,
  activity_added: (_, after) => [['COMPANY_ACTIVITY_ADDED', null, after.otherCodes.at(-1)!]],
  activity_removed: (before, after) =>
    before.otherCodes
      .filter((code) => !after.otherCodes.includes(code))
      .map((code) => ['COMPANY_ACTIVITY_REMOVED', code, null]),
  main_swapped: (before, after) => [
    ['COMPANY_MAIN_ACTIVITY_CHANGED', before.mainCode, after.mainCode],
  ],
  main_replaced: (before, after) => [
    ['COMPANY_ACTIVITY_REMOVED', before.mainCode, null],
    ['COMPANY_ACTIVITY_ADDED', null, after.mainCode],
    ['COMPANY_MAIN_ACTIVITY_CHANGED', before.mainCode, after.mainCode],
  ],
  reclassified: reclassification,
  reclassified_partly: reclassification,
  suspended: (_, after, { date }) => [
    ['COMPANY_SUSPENDED', null, clean(after.suspensionDate) ?? date],
  ],
  resumed: (before, after, { date }) => [
    ['COMPANY_RESUMED', before.suspensionDate, clean(after.resumptionDate) ?? date],
  ],
  closing_set: closing,
  closing_moved: closing,
  closing_withdrawn: (before) => [['COMPANY_REOPENED', before.endDate, null]],
  nip_changed: (before, after) => [['COMPANY_TAX_IDENTITY_CHANGED', before.nip, after.nip]],
  nip_assigned: (_, after) => [['COMPANY_TAX_IDENTITY_ASSIGNED', null, after.nip]],
  nip_revoked: (before) => [['COMPANY_TAX_IDENTITY_REVOKED', before.nip, null]],
  regon_changed: regonAnomaly,
  regon_revoked: regonAnomaly,
  regon_assigned: (_, after) => [['COMPANY_REGON_ASSIGNED', null, after.regon]],
  gone: (before, _, night) => [
    ['COMPANY_STRUCK_OFF', statusOn(night.yesterday, before), night.date],
  ],
  back: (_before, _after, night) => [['COMPANY_REOPENED', night.goneOn, null]],
  county: silent,
  whitespace: silent,
  new: silent,
  new_shared: silent,
};

/** The events that a change of this kind must make of an entry. */
export function expectEvents(
  kind: ChangeKind,
  before: Entry,
  after: Entry,
  night: Night,
): ExpectedEvent[] {
  return expectations[kind](before, after, night).map(([event_type, old_value, new_value]) => ({
    event_type,
    old_value,
    new_value,
    nip: clean(after.nip),
    regon9: clean(after.regon),
    name: clean(after.name),
  }));
}
