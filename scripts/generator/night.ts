import { changes, type FieldKind } from './change.ts';
import { isoDate } from './calendar.ts';
import { changedFields, entryAt, groupOf, sharesNip, sizeOf, type Country } from './country.ts';
import { expectEvents, type ExpectedEvent } from './expectation.ts';
import { createShuffle, Random } from './random.ts';
import { changeKinds, countOf, type ChangeKind } from './share.ts';

/** What one night did to a country: the counts of each kind and the events that they must make. */
export interface NightReport {
  counts: Record<ChangeKind, number>;
  events: ExpectedEvent[];
}

interface Night {
  country: Country;
  /** Date of the dump, in days since 1970. */
  day: number;
  /** Size of the country the evening before: newcomers do not change on their first day. */
  size: number;
  /** Groups of entries that share a NIP, and had their one change of the night. */
  touched: Set<number>;
  report: NightReport;
}

const identityKinds: ReadonlySet<ChangeKind> = new Set([
  'nip_assigned',
  'nip_changed',
  'nip_revoked',
  'regon_assigned',
  'regon_changed',
  'regon_revoked',
]);

/** Makes one kind of change to an entry; false where the kind does not suit the entry. */
type Attempt = (night: Night, kind: ChangeKind, index: number) => boolean;

function tell(
  night: Night,
  kind: ChangeKind,
  index: number,
  before = entryAt(night.country, index),
): void {
  const { country, day, report } = night;
  const goneOn = country.gone.get(index);
  const after = entryAt(country, index);
  const dates = {
    date: isoDate(day),
    yesterday: isoDate(day - 1),
    goneOn: goneOn === undefined ? '' : isoDate(goneOn),
  };
  report.events.push(...expectEvents(kind, before, after, dates));
}

const changeFields: Attempt = (night, kind, index) => {
  const { country, day } = night;
  if (country.gone.has(index)) return false;
  if (identityKinds.has(kind) && sharesNip(country, index)) return false;
  const happening = { kind: kind as FieldKind, day, serial: country.freshSerial };
  const before = entryAt(country, index);
  if (changedFields(country, index, before, happening) === undefined) return false;
  country.happenings.set(index, [...(country.happenings.get(index) ?? []), happening]);
  if (identityKinds.has(kind)) country.freshSerial -= 1;
  tell(night, kind, index, before);
  return true;
};

const strikeOff: Attempt = (night, kind, index) => {
  const { country, day } = night;
  if (country.gone.has(index)) return false;
  tell(night, kind, index);
  country.gone.set(index, day);
  return true;
};

const bringBack: Attempt = (night, kind, index) => {
  tell(night, kind, index);
  night.country.gone.delete(index);
  return true;
};

const joinPartner: Attempt = (night, _, index) => {
  const { country, day } = night;
  const { nip } = entryAt(country, index);
  if (country.gone.has(index) || nip === '') return false;
  country.newcomers.push({ day, partner: index, nip });
  country.sharers.add(index);
  return true;
};

const attempts: Partial<Record<ChangeKind, Attempt>> = {
  gone: strikeOff,
  back: bringBack,
  new_shared: joinPartner,
};

/** Walks once through the candidates in a seeded order until enough of them suit. */
function happen(night: Night, kind: ChangeKind, wanted: number): void {
  const { country, day, touched } = night;
  const salt = (day - country.from) * 100 + changeKinds.indexOf(kind);
  // Only entries that went before tonight can come back.
  const candidates = kind === 'back' ? [...country.gone.keys()] : undefined;
  const length = candidates?.length ?? night.size;
  const order = createShuffle(new Random().start(country.seed, salt, 5), length || 1);
  const attempt = attempts[kind] ?? changeFields;
  for (let i = 0; i < length && night.report.counts[kind] < wanted; i += 1) {
    const index = candidates?.[order(i)] ?? order(i);
    const group = groupOf(country, index);
    if (!touched.has(group) && attempt(night, kind, index)) {
      touched.add(group);
      night.report.counts[kind] += 1;
    }
  }
}

/**
 * Makes the changes of the next night: `day` is the date of the dump in days since 1970, and `shares`
 * says how many entries each kind of change touches.
 */
export function passNight(
  country: Country,
  day: number,
  shares: Record<ChangeKind, number>,
): NightReport {
  const counts = Object.fromEntries(changeKinds.map((kind) => [kind, 0]));
  const night: Night = {
    country,
    day,
    size: sizeOf(country),
    touched: new Set(),
    report: { counts: counts as Record<ChangeKind, number>, events: [] },
  };
  for (const kind of changeKinds) {
    const wanted = countOf(shares[kind], country.entries);
    if (kind !== 'new') happen(night, kind, wanted);
    else {
      for (let i = 0; i < wanted; i += 1)
        country.newcomers.push({ day, partner: undefined, nip: '' });
      night.report.counts.new = wanted;
    }
  }
  return night.report;
}

/** Kinds of change that the comparison of two dumps counts as an update. */
export const updateKinds: readonly ChangeKind[] = changeKinds.filter(
  (kind) => kind in changes && kind !== 'whitespace',
);
