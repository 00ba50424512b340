// AssemblyScript, compiled into lines.wasm: finds the records of a chunk, fingerprints each record, and looks up the
// fingerprint among the fingerprints of yesterday's entries. JavaScript receives only new and changed records.
// `npm run wasm` compiles this folder, and ../known-fingerprints.test.ts checks that lines.wasm is up to date.

import { hash, PRIME_1 } from './hash';
import { feeds, LINE_FEED, listed, note, QUOTE, RETURN } from './list';

export { feeds, hash, listed };
export { layOut, newest_day, quotedRow, rows } from './rows';

const SEPARATOR: u8 = 59;

/**
 * The address of the table of fingerprints: slots of eight bytes (0 if free), then one bit per slot. The bit of a slot
 * is set once a record of today has the slot's fingerprint. The table stores mixed fingerprints (times PRIME_1) in
 * ascending order, each in its preferred slot (home) or in a later slot.
 */
let slots: usize = 0;
let met: usize = 0;
let homes: u64 = 0;
let slotCount: usize = 0;

/** The inverse of PRIME_1 modulo 2^64, which turns a mixed fingerprint back into the original fingerprint. */
const INVERSE_1: u64 = 0x0887493432badb37;

/** The number of unchanged records after the last listed record. */
export let known: u32 = 0;

/**
 * Sets up an empty table at the address `at`, where the memory is zero. The spare slots after the last home hold
 * fingerprints for which no earlier slot is free.
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

/** Returns a mixed fingerprint's home, its preferred slot. Homes ascend with the mixed fingerprints. */
function home(mixed: u64): usize {
  return <usize>(((mixed >> 32) * homes) >> 32);
}

/** Returns the first slot of a mixed fingerprint, or the slot for its insertion. The table's last slot stays free. */
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

/** Adds the big-endian fingerprints in the bytes [at, end). @returns false when the table is full */
export function learn(at: usize, end: usize): bool {
  for (; at < end; at += 8) {
    let mixed = bswap(load<u64>(at)) * PRIME_1;
    let slot = find(mixed);
    // To make room, each fingerprint from the slot `slot` on moves to the next slot, up to a free slot.
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

/** Marks a fingerprint as found in today's dump. @returns true if one entry has it and it was unmarked */
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
 * Lists the fingerprints that no record of today has, from the slot `from` on. Writes eight bytes for each, from the
 * address `out` to `outEnd`. @returns the first slot that was not examined; the number of slots if all were examined
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
 * and has quotes. Lists other new and changed records at `out`, each in 24 bytes: number of unchanged records since the
 * previous listed record, start, end, preceding line feeds, and fingerprint. A record with quotes is assumed to end at
 * the line feed after an even number of quotes; only an equal fingerprint of yesterday confirms this end.
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

/** Lists all records, each as: 1 if the record has quotes, else 0; start; end; preceding line feeds; fingerprint. */
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
          // A changed record with quotes ends the list, since `sieve` would stop at it and drop the later records.
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

/** Loads the slots that `sieve` reads into the processor's cache, since `sieve` else waits half of its time. */
function touch(out: usize): void {
  let sum: u64 = 0;
  for (let at = out; at < listed; at += 24) {
    const slot = home(load<u64>(at, 16) * PRIME_1);
    sum += held(slot) + <u64>load<u8>(met + (slot >> 3));
  }
  touched = sum;
}

/** The sum of the slots that `touch` loads; the compiler would remove the loads if nothing used their result. */
let touched: u64 = 0;

/** Marks the fingerprints of listed records as found, and keeps only new and changed records in the list. */
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
