// AssemblyScript, compiled into lines.wasm: finds the records of a chunk, fingerprints each record, and looks up the
// fingerprint among yesterday's. Only new and changed records are returned to JavaScript.

import { hash, PRIME_1 } from './hash';
import { feeds, LINE_FEED, listed, note, QUOTE, RETURN } from './list';

export { feeds, hash, listed };
export { layOut, newest_day, quotedRow, rows } from './rows';

const SEPARATOR: u8 = 59;

/**
 * The address of the table of fingerprints: slots of eight bytes (0 if free), then one bit per slot. The bit of a slot
 * is set once a record of today has the slot's fingerprint. The table is sorted by mixed fingerprints (times PRIME_1).
 * A fingerprint is in its preferred slot (home) or later.
 */
let slots: usize = 0;
let met: usize = 0;
let homes: u64 = 0;
let slotCount: usize = 0;

/** The inverse of PRIME_1 modulo 2^64, which turns a mixed fingerprint back into the original fingerprint. */
const INVERSE_1: u64 = 0x0887493432badb37;

/** The number of unchanged records since the last listed record. */
export let known: u32 = 0;

/**
 * Sets up an empty table at an address where the memory is zero. The slots after the last home hold fingerprints that
 * find no earlier slot.
 */
export function reserve(at: usize, homeCount: u32, count: u32): void {
  slots = at;
  homes = homeCount;
  slotCount = count;
  met = at + ((<usize>count) << 3);
}

function held(slot: usize): u64 {
  return load<u64>(slots + (slot << 3));
}

/** Returns the slot at which the search for a mixed fingerprint begins. Homes ascend with the mixed fingerprints. */
function home(mixed: u64): usize {
  return <usize>(((mixed >> 32) * homes) >> 32);
}

/** Returns the first slot of a mixed fingerprint, or the slot to insert it. The table's last slot is always free. */
function find(mixed: u64): usize {
  let slot = home(mixed);
  for (let other = held(slot); other < mixed && other != 0; other = held(slot)) slot++;
  return slot;
}

/** Checks whether a fingerprint belongs to an entry of yesterday. */
function isKnown(print: u64): bool {
  const mixed = print * PRIME_1;
  return held(find(mixed)) == mixed;
}

/** Adds the big-endian fingerprints in the bytes [at, end). @returns false when the slots after the homes are full */
export function learn(at: usize, end: usize): bool {
  for (; at < end; at += 8) {
    let mixed = bswap(load<u64>(at)) * PRIME_1;
    let slot = find(mixed);
    // Greater fingerprints move by one slot, up to the first free slot.
    for (let other = held(slot); other != 0; other = held(slot)) {
      store<u64>(slots + (slot << 3), mixed);
      mixed = other;
      slot++;
    }
    if (slot == slotCount - 1) return false;
    store<u64>(slots + (slot << 3), mixed);
  }
  return true;
}

/** Marks a fingerprint as found today. @returns true the first time, if exactly one entry of yesterday has it */
export function meet(print: u64): bool {
  const mixed = print * PRIME_1;
  const slot = find(mixed);
  if (held(slot) != mixed || held(slot + 1) == mixed) return false;
  if (isMet(slot)) return false;
  const at = met + (slot >> 3);
  store<u8>(at, load<u8>(at) | (1 << ((<u8>slot) & 7)));
  return true;
}

function isMet(slot: usize): bool {
  return <bool>((load<u8>(met + (slot >> 3)) >> (<u8>(slot & 7))) & 1);
}

/**
 * Lists the fingerprints that no record of today has, from the slot `from` on, as eight bytes each, at `out` up to
 * `outEnd`. @returns the first slot that was not examined; the number of slots at the end of the table
 */
export function missing(from: u32, out: usize, outEnd: usize): u32 {
  let slot = <usize>from;
  for (; slot < slotCount && out + 8 <= outEnd; slot++) {
    const mixed = held(slot);
    // A fingerprint that several entries share is listed once, at its last slot.
    if (mixed == 0 || held(slot + 1) == mixed) continue;
    if (isMet(slot)) continue;
    store<u64>(out, mixed * INVERSE_1);
    out += 8;
  }
  listed = out;
  return <u32>slot;
}

/**
 * Reads the records in the bytes [at, end). Stops at a record that is longer than `bound`, has no end, or is changed
 * and has quotes. Lists each other changed record at `out` in 24 bytes: number of unchanged records since the previous
 * listed record, start, end, preceding line feeds, and fingerprint. A record with quotes is assumed to end at the line
 * feed after an even number of quotes. Only a fingerprint of yesterday confirms the assumed end.
 *
 * @param skipsNumber whether fingerprints ignore the first field, which is a row number, and the separator after it
 * @returns the address of the record at which reading stopped
 */
export function scan(
  at: usize,
  end: usize,
  bound: u32,
  seed: u64,
  skipsNumber: bool,
  out: usize,
  outEnd: usize,
): usize {
  feeds = 0;
  listed = out;
  const start = collect(at, end, bound, seed, skipsNumber, outEnd);
  touch(out);
  return sieve(out, start);
}

/** Lists all records: 1 for a record with quotes, else 0; start, end, preceding line feeds, and fingerprint. */
function collect(
  at: usize,
  end: usize,
  bound: u32,
  seed: u64,
  skipsNumber: bool,
  outEnd: usize,
): usize {
  const feed = i8x16.splat(LINE_FEED);
  const quote = i8x16.splat(QUOTE);
  let start = at;
  let quotes: u32 = 0;
  let inner: u32 = 0;
  for (let block = at; block < end; block += 16) {
    const bytes = v128.load(block);
    let mask = <u32>i8x16.bitmask(v128.or(i8x16.eq(bytes, feed), i8x16.eq(bytes, quote)));
    const left = <u32>end - <u32>block;
    if (left < 16) mask &= (1 << left) - 1;
    for (; mask != 0; mask &= mask - 1) {
      const stop = block + ctz(mask);
      if (stop - start > <usize>bound || listed == outEnd) return start;
      if (load<u8>(stop) == QUOTE) quotes++;
      else if (quotes & 1) inner++;
      else {
        const last = stop > start && load<u8>(stop - 1) == RETURN ? stop - 1 : stop;
        if (last > start) {
          const print = hash(skipsNumber ? afterNumber(start, last) : start, last, seed);
          // If a changed record with quotes were listed, `sieve` would stop there, and list later records again.
          if (quotes > 0 && !isKnown(print)) return start;
          note(<u32>(quotes > 0), start, last, feeds, print);
        }
        feeds += inner + 1;
        start = stop + 1;
        quotes = inner = 0;
      }
    }
  }
  return start;
}

/** Loads all slots that `sieve` needs into the processor's cache at once, because loading each takes half its time. */
function touch(out: usize): void {
  let sum: u64 = 0;
  for (let at = out; at < listed; at += 24) {
    const slot = home(load<u64>(at, 16) * PRIME_1);
    sum += held(slot) + <u64>load<u8>(met + (slot >> 3));
  }
  touched = sum;
}

/** The sum of the slots that `touch` loads, because the compiler would remove loads whose result is not used. */
let touched: u64 = 0;

/** Marks the fingerprints of the listed records as found, and keeps only new and changed records on the list. */
function sieve(out: usize, end: usize): usize {
  const all = listed;
  known = 0;
  listed = out;
  for (let at = out; at < all; at += 24) {
    const print = load<u64>(at, 16);
    if (meet(print)) {
      known++;
      continue;
    }
    const before = load<u32>(at, 12);
    if (load<u32>(at) == 1) {
      feeds = before;
      return load<u32>(at, 4);
    }
    note(known, load<u32>(at, 4), load<u32>(at, 8), before, print);
    known = 0;
  }
  return end;
}

/** Returns the address of a record's data. If the record begins with a row number, the data begins after the number. */
export function afterNumber(start: usize, end: usize): usize {
  let at = start;
  while (at < end && load<u8>(at) >= 48 && load<u8>(at) <= 57) at++;
  return at < end && load<u8>(at) == SEPARATOR ? at + 1 : start;
}
