import { drawEntry, drawHolding, type Origin } from './origin.ts';
import { changes, type FieldKind } from './change.ts';
import type { Entry } from './entry.ts';
import { createNumbering, serialLimit, type Numbering } from './identifier.ts';
import { Random } from './random.ts';
import { changeKinds } from './share.ts';

/** A change of an entry on one day: with the seed, all that is needed to make it again. */
export interface Happening {
  kind: FieldKind;
  day: number;
  /** A serial number that no other entry has, for a kind that needs a fresh NIP or REGON. */
  serial: number;
}

/** An entry that was not in the first dump. */
export interface Newcomer {
  day: number;
  /** The entry whose NIP it shares, if it does, and that NIP. */
  partner: number | undefined;
  nip: string;
}

/**
 * A country as of one day. Only what happened since the first day is kept, a few numbers for each
 * change; every entry is drawn again whenever it is looked at, so millions need no memory.
 */
export interface Country {
  seed: number;
  /** How many entries the first dump has. */
  entries: number;
  /** Date of the first dump, in days since 1970. */
  from: number;
  numbering: Numbering;
  happenings: Map<number, Happening[]>;
  newcomers: Newcomer[];
  /** Entries that are gone, with the day on which they went. */
  gone: Map<number, number>;
  /** Entries whose NIP a newcomer shares. */
  sharers: Set<number>;
  /** A serial number that no entry has; the next one is one less. */
  freshSerial: number;
}

/** One pair of neighbours in this many shares a NIP: 0.3 % of the entries do. */
const shareOfPairs = 0.003;

const random = new Random();

/** The country on the day of its first dump; `from` in days since 1970. */
export function createCountry(seed: number, entries: number, from: number): Country {
  return {
    seed,
    entries,
    from,
    numbering: createNumbering(seed),
    happenings: new Map(),
    newcomers: [],
    gone: new Map(),
    sharers: new Set(),
    freshSerial: serialLimit - 1,
  };
}

/** How many entries there are or have been; they are numbered from 0. */
export function sizeOf(country: Country): number {
  return country.entries + country.newcomers.length;
}

function newcomerAt(country: Country, index: number): Newcomer | undefined {
  return index < country.entries ? undefined : country.newcomers[index - country.entries];
}

/** True where the first dump has another entry with the same NIP: an odd index and the one before. */
function isPaired(country: Country, index: number): boolean {
  const second = index | 1;
  if (second >= country.entries) return false;
  return random.start(country.seed, second, 4).chance(shareOfPairs);
}

/** The first of the entries that share a NIP with this one; itself when it shares none. */
export function groupOf(country: Country, index: number): number {
  const partner = newcomerAt(country, index)?.partner;
  if (partner !== undefined) return groupOf(country, partner);
  return isPaired(country, index) ? index & ~1 : index;
}

/** True where another entry has, or has had, the same NIP: its numbers do not change. */
export function sharesNip(country: Country, index: number): boolean {
  return (
    isPaired(country, index) ||
    country.sharers.has(index) ||
    newcomerAt(country, index)?.partner !== undefined
  );
}

function originOf(country: Country, index: number): Origin {
  const newcomer = newcomerAt(country, index);
  // Entries that share a NIP have both numbers, so that their keys differ.
  const isSharer = newcomer?.partner !== undefined || isPaired(country, index);
  return {
    serial: index,
    person: groupOf(country, index),
    holding: isSharer ? 'both' : drawHolding(country.seed, index),
    nip: newcomer?.nip ?? '',
    day: newcomer?.day ?? country.from,
    isNew: newcomer !== undefined,
  };
}

/** What a happening changes; undefined where its kind does not suit the entry. */
export function changedFields(
  country: Country,
  index: number,
  entry: Entry,
  { kind, day, serial }: Happening,
): Partial<Entry> | undefined {
  // Every kind, day and entry has its own random numbers, so the order of looking does not matter.
  const salt = 1000 + (day - country.from) * 100 + changeKinds.indexOf(kind);
  random.start(country.seed, index, salt);
  return changes[kind](entry, { random, numbering: country.numbering, serial, day });
}

/** The entry as it stands in the newest dump, or last stood there when it is gone. */
export function entryAt(country: Country, index: number): Entry {
  const entry = drawEntry(country.seed, country.numbering, originOf(country, index));
  for (const happening of country.happenings.get(index) ?? []) {
    Object.assign(entry, changedFields(country, index, entry, happening));
  }
  return entry;
}
