import { changeKinds, kinds, type ChangeKind, type Kind, type Occasion } from './change.ts';
import { entryAt, isGone, updateEntry, type Country } from './country.ts';
import { expectEvents, type ExpectedEvent } from './expectation.ts';
import { createShuffle, Random } from './random.ts';

/** A number for each kind of change. */
export type PerKind = Record<ChangeKind, number>;

/** What one night did to a country: its changes and the events that they must make. */
export interface NightReport {
  /** How many entries changed. */
  counts: PerKind;
  events: ExpectedEvent[];
}

interface Night extends Occasion, NightReport {
  /** Owners whose entries had their one change of the night. */
  touched: Set<number>;
}

export function perKind(find: (kind: ChangeKind) => number): PerKind {
  return Object.fromEntries(changeKinds.map((kind) => [kind, find(kind)])) as PerKind;
}

/** Walks once through the entries of the evening before, in a seeded order, until enough of them suit. */
function changeEntries(night: Night, kind: ChangeKind, wanted: number): void {
  const { country, day, random, touched, counts } = night;
  const salt = (day - country.from) * 100 + changeKinds.indexOf(kind);
  const length = country.size;
  const { suits = () => true, change }: Kind = kinds[kind];
  const order = createShuffle(random.start(country.seed, salt, 5), length);
  for (let i = 0; i < length && counts[kind] < wanted; i += 1) {
    const index = order(i);
    if (isGone(country, index) !== (kind === 'back')) continue;
    const before = entryAt(country, index);
    if (touched.has(before.owner) || !suits(before, night)) continue;
    touched.add(before.owner);
    const fields = change(before, night);
    updateEntry(country, index, fields);
    night.events.push(...expectEvents(before, { ...before, ...fields }, day));
    counts[kind] += 1;
  }
}

/**
 * Makes the changes of the next night.
 *
 * @param day the date of the dump, in days since 1970
 * @param wanted how many entries each kind of change touches
 */
export function passNight(country: Country, day: number, wanted: PerKind): NightReport {
  const report: NightReport = { counts: perKind(() => 0), events: [] };
  const night = { ...report, country, day, random: new Random(), touched: new Set<number>() };
  for (const kind of changeKinds) changeEntries(night, kind, wanted[kind]);
  return report;
}
