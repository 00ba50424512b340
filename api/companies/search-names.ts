import { addBit, type Bits } from './search-bits.ts';

/** The number of companies in a block of names. */
const BLOCK = 4096;

interface Block {
  /** The names in UTF-8, one after another. */
  bytes: Buffer;
  /** Where each name ends. */
  ends: Uint32Array;
  /**
   * A Bloom filter: two words per name, with one bit for each pair of neighbouring bytes. A name that
   * lacks a bit of the wanted part cannot contain the part.
   */
  pairs: Uint32Array;
}

/** One folded name per company. A search finds any part of a name. */
export class NameColumn {
  readonly #blocks: Block[] = [];
  /** The block that is being written, and its index. */
  #open: { at: number; names: string[] } | undefined;

  /** Sets the name of a company. Call it in the order of the numbers, then call `close`. */
  set(number: number, name: string | null): void {
    const at = Math.floor(number / BLOCK);
    if (this.#open?.at !== at) {
      this.close();
      this.#open = { at, names: readNames(this.#blocks[at]) };
    }
    this.#open.names[number % BLOCK] = name ?? '';
  }

  close(): void {
    if (this.#open) this.#blocks[this.#open.at] = makeBlock(this.#open.names);
    this.#open = undefined;
  }

  /** Finds the companies of a set whose name contains a part. The part has at least two bytes. */
  find(among: Bits, part: string): Bits {
    const found = new Uint32Array(among.length);
    const wanted = Buffer.from(part);
    const pairs = new Uint32Array(2);
    addPairs(pairs, 0, wanted);
    for (let at = 0; at < among.length; at += 1) {
      for (let word = among[at]!; word !== 0; word &= word - 1) {
        const number = at * 32 + 31 - Math.clz32(word & -word);
        const block = this.#blocks[Math.floor(number / BLOCK)]!;
        if (has(block, number % BLOCK, pairs, wanted)) addBit(found, number);
      }
    }
    return found;
  }
}

function readNames(block: Block | undefined): string[] {
  if (!block) return [];
  const { bytes, ends } = block;
  return Array.from(ends, (end, at) => bytes.toString('utf8', ends[at - 1] ?? 0, end));
}

function makeBlock(names: readonly string[]): Block {
  const encoded = names.map((name) => Buffer.from(name));
  const ends = new Uint32Array(names.length);
  const pairs = new Uint32Array(2 * names.length);
  for (const [at, name] of encoded.entries()) {
    ends[at] = (ends[at - 1] ?? 0) + name.length;
    addPairs(pairs, at, name);
  }
  return { bytes: Buffer.concat(encoded), ends, pairs };
}

function addPairs(pairs: Uint32Array, at: number, name: Uint8Array): void {
  for (let next = 1; next < name.length; next += 1) {
    const bit = (name[next - 1]! * 37 + name[next]! * 11) & 63;
    pairs[2 * at + (bit >>> 5)]! |= 1 << (bit & 31);
  }
}

function has(block: Block, at: number, wantedPairs: Uint32Array, wanted: Uint8Array): boolean {
  const { bytes, ends, pairs } = block;
  if ((wantedPairs[0]! & ~pairs[2 * at]!) !== 0 || (wantedPairs[1]! & ~pairs[2 * at + 1]!) !== 0) {
    return false;
  }
  const [first, last] = [wanted[0], ends[at]! - wanted.length];
  for (let start = at === 0 ? 0 : ends[at - 1]!; start <= last; start += 1) {
    if (bytes[start] !== first) continue;
    let length = 1;
    while (length < wanted.length && bytes[start + length] === wanted[length]) length += 1;
    if (length === wanted.length) return true;
  }
  return false;
}
