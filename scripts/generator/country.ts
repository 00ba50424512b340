import { drawEntry } from './draw-entry.ts';
import type { Entry } from './entry.ts';
import { createNumbering, serialLimit } from './identifier.ts';
import { Random } from './random.ts';

/** A country as of one day. Only what differs from the first dump is kept: all else is drawn again. */
export type Country = ReturnType<typeof createCountry>;

/** One pair of neighbours in this many shares a NIP: 0.3 % of the entries do. */
const shareOfPairs = 0.003;

const random = new Random();

/** The country on the day of its first dump, with so many entries; `from` in days since 1970. */
export function createCountry(seed: number, entries: number, from: number) {
  return {
    seed,
    entries,
    from,
    numbering: createNumbering(seed),
    /** How many entries there are or have been; they are numbered from 0. */
    size: entries,
    /** The fields of entries that changed since the first dump; all fields of newcomers. */
    changed: new Map<number, Partial<Entry>>(),
    /** A serial number that no entry has; the next one is one less. */
    freshSerial: serialLimit - 1,
  };
}

/** The entry as it stands in the newest dump, or last stood there when it is gone. */
export function entryAt(country: Country, serial: number): Entry {
  const { seed, entries, from: day, numbering } = country;
  const changed = country.changed.get(serial);
  if (serial >= entries) return changed as Entry;
  // An odd serial number and the one before may share a NIP.
  const second = serial | 1;
  const isShared = second < entries && random.start(seed, second, 4).chance(shareOfPairs);
  const owner = isShared ? serial & ~1 : serial;
  const first = drawEntry(seed, numbering, { serial, owner, day, isNew: false, isShared });
  return Object.assign(first, changed);
}

export function isGone({ changed }: Country, index: number): boolean {
  return changed.get(index)?.goneOn !== undefined;
}

/** The entries that the newest dump shows, in the order of its rows. */
export function* presentEntries(country: Country): Generator<Entry> {
  for (let index = 0; index < country.size; index += 1) {
    if (!isGone(country, index)) yield entryAt(country, index);
  }
}

export function updateEntry(country: Country, index: number, fields: Partial<Entry>): void {
  country.changed.set(index, { ...country.changed.get(index), ...fields });
}

/** Adds an entry that the dump of `day` shows first; with the NIP of a partner, where one is given. */
export function addNewcomer(country: Country, day: number, partner?: Entry): void {
  const { seed, numbering, size: serial } = country;
  const owner = partner?.owner ?? serial;
  const isShared = partner !== undefined;
  const entry = drawEntry(seed, numbering, { serial, owner, day, isNew: true, isShared });
  if (partner) entry.nip = partner.nip;
  updateEntry(country, serial, entry);
  country.size += 1;
}
