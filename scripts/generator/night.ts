import { changeKinds, kinds, type ChangeKind, type Kind } from './change.ts';
import { entryAt, isGone, updateEntry, type Country } from './country.ts';
import { expectEvents, type ExpectedEvent } from './expectation.ts';
import { createShuffle, Random } from './random.ts';

/** A number for each kind of change. */
export type PerKind = Record<ChangeKind, number>;

/** What one night did to a country. */
export interface NightReport {
  /** How many entries changed. */
  counts: PerKind;
  /** The events that the changes must make. */
  events: ExpectedEvent[];
}

export function perKind(find: (kind: ChangeKind) => number): PerKind {
  return Object.fromEntries(changeKinds.map((kind) => [kind, find(kind)])) as PerKind;
}

/**
 * Makes the changes of the next night, whose dump is of `day` (days since 1970). Each kind walks once
 * through the entries of the evening before, in a seeded order, until enough of them suit.
 */
export function passNight(country: Country, day: number, wanted: PerKind): NightReport {
  const { counts, events }: NightReport = { counts: perKind(() => 0), events: [] };
  const occasion = { random: new Random(), country, day };
  // Owners whose entries had their one change of the night.
  const touched = new Set<number>();
  for (const [rank, kind] of changeKinds.entries()) {
    const { suits = () => true, change }: Kind = kinds[kind];
    const salt = (day - country.from) * 100 + rank;
    const length = country.size;
    const order = createShuffle(occasion.random.start(country.seed, salt, 5), length);
    for (let i = 0; i < length && counts[kind] < wanted[kind]; i += 1) {
      const index = order(i);
      if (isGone(country, index) !== (kind === 'back')) continue;
      const before = entryAt(country, index);
      if (touched.has(before.owner) || !suits(before, occasion)) continue;
      touched.add(before.owner);
      const fields = change(before, occasion);
      updateEntry(country, index, fields);
      events.push(...expectEvents(before, { ...before, ...fields }, day));
      counts[kind] += 1;
    }
  }
  return { counts, events };
}
