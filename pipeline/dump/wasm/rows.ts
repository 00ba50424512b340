// AssemblyScript, compiled into lines.wasm: reads the rows of a file that join/ joins with another.

import { hash } from './hash';
import { feeds, LINE_FEED, listed, note, QUOTE, RETURN } from './list';

/** The kinds of a column, as bits: data, the key that joins tables, and the day when the registry changed the row. */
const DATA: u8 = 1;
const KEY: u8 = 2;
const TOUCHED: u8 = 4;
/** The value that means "no address". The value 0 is impossible, because a line may begin at the address 0. */
const NO_PLACE: usize = usize.MAX_VALUE;

/** The address of an array with the kind of each column, in one byte. */
let kinds: usize = 0;
let columns: u32 = 0;
let separator: u8 = 0;
let keyDigits: u32 = 0;

/** The newest day on which the registry changed a row, as a number YYYYMMDD. */
export let newest_day: u32 = 0;

export function layOut(kindsAt: usize, columnCount: u32, separatorByte: u8, digits: u32): void {
  kinds = kindsAt;
  columns = columnCount;
  separator = separatorByte;
  keyDigits = digits;
}

/**
 * Reads the rows in the bytes [at, end). Stops at a row that needs a parser: it has a quote, is longer than `bound`,
 * lacks an end or a key, or has a wrong number of fields. Lists each row at `out` in 24 bytes: key, start, end,
 * preceding line feeds, and fingerprint of the row's data. @returns the address of the line at which reading stopped
 */
export function rows(
  at: usize,
  end: usize,
  bound: u32,
  seed: u64,
  out: usize,
  outEnd: usize,
): usize {
  feeds = 0;
  listed = out;
  let start = at;
  while (listed < outEnd) {
    const stop = findLineEnd(start, end);
    if (stop == end || stop - start > <usize>bound) break;
    const last = stop > start && load<u8>(stop - 1) == RETURN ? stop - 1 : stop;
    if (last > start && !row(start, last, seed)) break;
    feeds++;
    start = stop + 1;
  }
  return start;
}

/** Lists one row in the format of `rows`, if the row has a key. Quoted fields may contain separators and line feeds. */
export function quotedRow(start: usize, end: usize, seed: u64, out: usize): usize {
  feeds = 0;
  listed = out;
  row(start, end, seed);
  return end;
}

/** Returns the address of the line feed that ends the line at `start`; `end` if the line has quotes or no line feed. */
function findLineEnd(start: usize, end: usize): usize {
  const feed = i8x16.splat(LINE_FEED);
  const quote = i8x16.splat(QUOTE);
  for (let block = start; block < end; block += 16) {
    const bytes = v128.load(block);
    const mask = <u32>i8x16.bitmask(v128.or(i8x16.eq(bytes, feed), i8x16.eq(bytes, quote)));
    if (mask == 0) continue;
    const stop = block + ctz(mask);
    return stop < end && load<u8>(stop) == LINE_FEED ? stop : end;
  }
  return end;
}

/** Lists one row. @returns false when the row has no key, or a wrong number of fields */
function row(start: usize, end: usize, seed: u64): bool {
  let print = seed;
  let key: u32 = 0;
  let hasKey = false;
  let column: u32 = 0;
  let field = start;
  let run = NO_PLACE;
  let isInside = false;
  for (let at = start; at <= end; at++) {
    if (at < end) {
      const byte = load<u8>(at);
      // Most bytes are greater than the separator, which shows by one comparison that they do not end a field.
      if (byte > separator) continue;
      if (byte == QUOTE) isInside = !isInside;
      if (byte != separator || isInside) continue;
    }
    if (column == columns) return false;
    const kind = load<u8>(kinds + column);
    if (kind & KEY) {
      const quote: usize = at > field && load<u8>(field) == QUOTE ? 1 : 0;
      const digits = field + quote;
      if (at - quote - digits != <usize>keyDigits || !isNumber(digits, at - quote)) return false;
      key = readNumber(digits, at - quote);
      hasKey = true;
    }
    if (kind & TOUCHED) noteDay(field, at);
    const isKept = (kind & DATA) != 0;
    if (isKept && run == NO_PLACE) run = field;
    // A run of adjacent data columns is fingerprinted by one call.
    if (run != NO_PLACE && (!isKept || at == end)) {
      print = hash(run, isKept ? at : field - 1, print);
      run = NO_PLACE;
    }
    column++;
    field = at + 1;
  }
  if (column != columns || !hasKey) return false;
  note(key, start, end, feeds, print);
  return true;
}

function isNumber(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) if (load<u8>(at) - 48 > 9) return false;
  return true;
}

function readNumber(start: usize, end: usize): u32 {
  let number: u32 = 0;
  for (let at = start; at < end; at++) number = number * 10 + load<u8>(at) - 48;
  return number;
}

/** Sets `newest_day` to the day in a field that begins with YYYY-MM-DD, if this day is later than `newest_day`. */
function noteDay(start: usize, end: usize): void {
  if (end < start + 10 || load<u8>(start + 4) != 45 || load<u8>(start + 7) != 45) return;
  if (!isNumber(start, start + 4) || !isNumber(start + 5, start + 7)) return;
  if (!isNumber(start + 8, start + 10)) return;
  const month = readNumber(start, start + 4) * 100 + readNumber(start + 5, start + 7);
  const day = month * 100 + readNumber(start + 8, start + 10);
  if (day > newest_day) newest_day = day;
}
