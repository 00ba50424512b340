import type { Matches } from './search-memory.ts';

/** Numbers in a block, as a power of two. */
export const blockBits = 13;

/** Words of 32 bits. */
const blockWords = 1 << (blockBits - 5);

// Postgres numbers the bits of a byte from its left. A word has the first byte in its lowest eight
// bits, on every machine that Node runs on but one, where the first byte is the highest.
const flip = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 7 : 31;

/** Companies by their numbers: a bit each, of the blocks from `first` on. */
export interface Bits {
  first: number;
  words: Uint32Array<ArrayBuffer>;
}

/** Blocks, without `end`. */
export interface Range {
  first: number;
  end: number;
}

export const nobody: Bits = { first: 0, words: new Uint32Array() };

/** @param rows blocks with their bits as Postgres sends them: how many there are, in 4 bytes, and they */
export function readBits(rows: { block: number; bits: Buffer }[]): Bits {
  if (rows.length === 0) return nobody;
  const blocks = rows.map(({ block }) => block);
  const [first, end] = [Math.min(...blocks), Math.max(...blocks) + 1];
  const words = new Uint32Array((end - first) * blockWords);
  const bytes = new Uint8Array(words.buffer);
  for (const { block, bits } of rows) bytes.set(bits.subarray(4), (block - first) * blockWords * 4);
  return { first, words };
}

/** The blocks in which all of these have somebody. */
export function rangeOf(all: Bits[], { first, end }: Range = { first: 0, end: Infinity }): Range {
  return {
    first: Math.max(first, ...all.map((bits) => bits.first)),
    end: Math.min(end, ...all.map((bits) => bits.first + bits.words.length / blockWords)),
  };
}

export function copyBits({ first, words }: Bits, range: Range): Bits {
  const copied = new Uint32Array(Math.max(0, range.end - range.first) * blockWords);
  const from = (range.first - first) * blockWords;
  const part = words.subarray(Math.max(0, from), Math.max(0, from + copied.length));
  copied.set(part, Math.max(0, -from));
  return { first: range.first, words: copied };
}

/** Where in `other` the words of `bits` are, and which of these it has. */
function overlay(bits: Bits, other: Bits) {
  const shift = (bits.first - other.first) * blockWords;
  const from = Math.min(bits.words.length, Math.max(0, -shift));
  return {
    shift,
    from,
    to: Math.max(from, Math.min(bits.words.length, other.words.length - shift)),
  };
}

/** Leaves those in `bits` who are in `other` too. */
export function keepCommon(bits: Bits, other: Bits): void {
  const { shift, from, to } = overlay(bits, other);
  const [words, others] = [bits.words, other.words];
  words.fill(0, 0, from);
  for (let at = from; at < to; at += 1) words[at]! &= others[at + shift]!;
  words.fill(0, to);
}

/** Adds those who are in `other`, in the blocks that `bits` has. */
export function addAll(bits: Bits, other: Bits): void {
  const { shift, from, to } = overlay(bits, other);
  const [words, others] = [bits.words, other.words];
  for (let at = from; at < to; at += 1) words[at]! |= others[at + shift]!;
}

/** Takes those out of `bits` who are in `other`. */
export function removeAll(bits: Bits, other: Bits): void {
  const { shift, from, to } = overlay(bits, other);
  const [words, others] = [bits.words, other.words];
  for (let at = from; at < to; at += 1) words[at]! &= ~others[at + shift]!;
}

function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

// A word whose lowest bit is that of the first place.
function inOrder(word: number): number {
  let turned = ((word >>> 1) & 0x55555555) | ((word & 0x55555555) << 1);
  turned = ((turned >>> 2) & 0x33333333) | ((turned & 0x33333333) << 2);
  turned = ((turned >>> 4) & 0x0f0f0f0f) | ((turned & 0x0f0f0f0f) << 4);
  if (flip === 7) return turned;
  turned = ((turned >>> 8) & 0x00ff00ff) | ((turned & 0x00ff00ff) << 8);
  return (turned >>> 16) | (turned << 16);
}

/** How many there are, by block. */
export function countBits({ first, words }: Bits): Matches['blocks'] {
  const blocks: Matches['blocks'] = [];
  for (let start = 0; start < words.length; start += blockWords) {
    let count = 0;
    for (let at = start; at < start + blockWords; at += 1) count += countOnes(words[at]!);
    if (count > 0) blocks.push({ block: first + start / blockWords, count });
  }
  return blocks;
}

/** The numbers in some blocks, ascending. */
export function listBits({ first, words }: Bits, blocks: number[]): number[] {
  const numbers: number[] = [];
  for (const block of blocks) {
    const start = (block - first) * blockWords;
    for (let at = start; at < start + blockWords; at += 1) {
      for (let word = inOrder(words[at]!); word !== 0; word &= word - 1) {
        numbers.push(((first * blockWords + at) << 5) + 31 - Math.clz32(word & -word));
      }
    }
  }
  return numbers;
}

/** Lists with fewer numbers than one in so many places take less memory than bits. */
const placesPerListed = 64;

function isFew(total: number, { words }: Bits): boolean {
  return total * placesPerListed <= words.length * 32;
}

function makeBits(first: number, last: number): Bits {
  return { first, words: new Uint32Array((last + 1 - first) * blockWords) };
}

function addPlaces({ first, words }: Bits, block: number, places: string): void {
  // Postgres writes an array as {1,2,3}.
  if (places === '{}') return;
  const before = (block - first) << blockBits;
  let place = 0;
  for (let at = 1; at < places.length; at += 1) {
    const digit = places.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) place = place * 10 + digit;
    else {
      const number = before + place;
      words[number >> 5]! |= 1 << ((number & 31) ^ flip);
      place = 0;
    }
  }
}

/**
 * Those who have some places, each once: by bits, or by their numbers where these are fewer.
 *
 * @param rows blocks, a block maybe several times, with places in them as Postgres writes an array
 */
export function joinPlaces(rows: { block: number; places: string }[]): Bits | Int32Array {
  if (rows.length === 0) return new Int32Array();
  const known = rows.map(({ block }) => block);
  const bits = makeBits(Math.min(...known), Math.max(...known));
  for (const { block, places } of rows) addPlaces(bits, block, places);
  const blocks = countBits(bits);
  const total = blocks.reduce((sum, { count }) => sum + count, 0);
  if (!isFew(total, bits)) return bits;
  return Int32Array.from(
    listBits(
      bits,
      blocks.map(({ block }) => block),
    ),
  );
}

/** @param bytes numbers of 4 bytes, the highest byte first */
export function readNumbers(bytes: Buffer): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = new Int32Array(bytes.byteLength / 4);
  for (let at = 0; at < numbers.length; at += 1) numbers[at] = view.getInt32(at * 4);
  return numbers;
}

/** Those who have some numbers, of which none is twice: by bits, or by the numbers where these are fewer. */
export function setOfNumbers(numbers: Int32Array): Bits | Int32Array {
  let [lowest, highest] = [Infinity, -1];
  for (const number of numbers) {
    if (number < lowest) lowest = number;
    if (number > highest) highest = number;
  }
  if (highest < 0) return new Int32Array();
  const bits = makeBits(lowest >> blockBits, highest >> blockBits);
  if (isFew(numbers.length, bits)) return numbers.toSorted();
  const { first, words } = bits;
  const before = first << blockBits;
  for (const number of numbers) words[(number - before) >> 5]! |= 1 << ((number & 31) ^ flip);
  return bits;
}

/** Those in an ascending list who are in `bits` too. */
export function keepListed(list: Int32Array, { first, words }: Bits): Int32Array {
  const before = first * blockWords;
  const kept = new Int32Array(list.length);
  let length = 0;
  for (const number of list) {
    const at = (number >> 5) - before;
    if (at < 0 || at >= words.length) continue;
    if ((words[at]! >>> ((number & 31) ^ flip)) & 1) {
      kept[length] = number;
      length += 1;
    }
  }
  return kept.slice(0, length);
}
