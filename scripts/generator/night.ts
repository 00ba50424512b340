import { kinds, type Kind } from './change.ts';
import { entryAt, isGone, updateEntry, type Country } from './country.ts';
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
  random: Random;
  /** Owners whose entries had their one change of the night. */
  touched: Set<number>;
  events: ExpectedEvent[];
}

/**
 * Walks once through the entries of the evening before, in a seeded order, until enough of them suit.
 *
 * @returns how many entries changed
 */
function changeEntries(night: Night, kind: ChangeKind, wanted: number): number {
  const { country, day, random, touched } = night;
  const salt = (day - country.from) * 100 + changeKinds.indexOf(kind);
  const length = country.size;
  const { suits = () => true, change }: Kind = kinds[kind];
  const order = createShuffle(random.start(country.seed, salt, 5), length);
  let count = 0;
  for (let i = 0; i < length && count < wanted; i += 1) {
    const index = order(i);
    if (isGone(country, index) !== (kind === 'back')) continue;
    const before = entryAt(country, index);
    if (touched.has(before.owner) || !suits(before, night)) continue;
    touched.add(before.owner);
    const fields = change(before, night);
    updateEntry(country, index, fields);
    night.events.push(...expectEvents(before, { ...before, ...fields }, day));
    count += 1;
  }
  return count;
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
  const counts = {} as Record<ChangeKind, number>;
  const night: Night = { country, day, random: new Random(), touched: new Set(), events: [] };
  for (const kind of changeKinds) {
    counts[kind] = changeEntries(night, kind, countOf(shares[kind], country.entries));
  }
  return { counts, events: night.events };
}
