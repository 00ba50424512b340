import { changeKinds, kinds, type ChangeKind, type Kind, type Occasion } from './change.ts';
import { entryAt, isGone, updateEntry, type Country } from './country.ts';
import { expectEvents, type ExpectedEvent } from './expectation.ts';
import { createShuffle, Random } from './random.ts';

/** How many entries each kind of change touches. */
export type ChangeCounts = Record<ChangeKind, number>;

/** What one night did to a country: its changes and the events that they must make. */
export interface NightReport {
  counts: ChangeCounts;
  events: ExpectedEvent[];
}

interface Night extends Occasion, NightReport {
  /** Owners whose entries had their one change of the night. */
  touched: Set<number>;
}

/** Gives each kind of change its count. */
export function countEach(count: (kind: ChangeKind) => number): ChangeCounts {
  return Object.fromEntries(changeKinds.map((kind) => [kind, count(kind)])) as ChangeCounts;
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

/** Makes the changes of the next night: `day` is the date of the dump in days since 1970. */
export function passNight(country: Country, day: number, wanted: ChangeCounts): NightReport {
  const counts = countEach(() => 0);
  const night = {
    country,
    day,
    random: new Random(),
    counts,
    events: [],
    touched: new Set<number>(),
  };
  for (const kind of changeKinds) changeEntries(night, kind, wanted[kind]);
  return night;
}
