/** A set of companies: bit n is 1 when the company with the number n is in the set. */
export type Bits = Uint32Array<ArrayBuffer>;

/** Makes an empty set for the numbers below `count`. */
export function makeBits(count: number): Bits {
  return new Uint32Array(Math.ceil(count / 32));
}

export function addBit(bits: Bits, number: number): void {
  bits[number >>> 5]! |= 1 << (number & 31);
}

/** The intersection of sets of the same length, at least one. */
export function intersect([first, ...others]: Bits[]): Bits {
  const common = first!.slice();
  for (const other of others) {
    for (let at = 0; at < common.length; at += 1) common[at]! &= other[at]!;
  }
  return common;
}

function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (let at = 0; at < bits.length; at += 1) count += countOnes(bits[at]!);
  return count;
}

/** The numbers in a set, ascending: at most `size` of them, after the first `skipped`. */
export function listBits(bits: Bits, skipped = 0, size = Infinity): number[] {
  const numbers: number[] = [];
  let left = skipped;
  for (let at = 0; at < bits.length && numbers.length < size; at += 1) {
    const count = countOnes(bits[at]!);
    if (count <= left) {
      left -= count;
      continue;
    }
    for (let word = bits[at]!; word !== 0 && numbers.length < size; word &= word - 1) {
      if (left > 0) left -= 1;
      else numbers.push(at * 32 + 31 - Math.clz32(word & -word));
    }
  }
  return numbers;
}

/** Ascending numbers of companies, stored as gaps of seven bits per byte: most take one or two bytes. */
export class NumberList {
  #bytes = new Uint8Array(8);
  #length = 0;
  #last = -1;

  /** Adds a number. Ignores a number that was added last. */
  add(number: number): void {
    if (number === this.#last) return;
    if (this.#length + 5 > this.#bytes.length) {
      this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(this.#bytes.length * 1.5));
    }
    let gap = number - this.#last;
    for (; gap > 127; gap >>>= 7) {
      this.#bytes[this.#length] = (gap & 127) | 128;
      this.#length += 1;
    }
    this.#bytes[this.#length] = gap;
    this.#length += 1;
    this.#last = number;
  }

  addTo(bits: Bits): void {
    const bytes = this.#bytes;
    for (let at = 0, number = -1, shift = 0; at < this.#length; at += 1) {
      const byte = bytes[at]!;
      number += (byte & 127) << shift;
      shift = byte > 127 ? shift + 7 : 0;
      if (shift === 0) addBit(bits, number);
    }
  }
}
