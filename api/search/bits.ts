/** A set of numbers (such as positions of companies) as a bitmap: bit n is 1 if the set contains n. */
export type Bits = Uint32Array<ArrayBuffer>;

/** Returns an empty set with room for the numbers from 0 to `count` - 1. */
export function noBits(count: number): Bits {
  return new Uint32Array(Math.ceil(count / 32));
}

/** Returns the set of all numbers below `count`; the unused bits of the set's last 32-bit word are 1 too. */
export const allBits = (count: number): Bits => noBits(count).fill(2 ** 32 - 1);

export function addBit(bits: Bits, number: number): void {
  bits[number >>> 5]! |= 1 << (number & 31);
}

export function removeBit(bits: Bits, number: number): void {
  bits[number >>> 5]! &= ~(1 << (number & 31));
}

export function hasBit(bits: Bits, number: number): boolean {
  return ((bits[number >>> 5]! >>> (number & 31)) & 1) === 1;
}

/** Removes from `bits` all numbers that are not in `other`. */
export function keepCommon(bits: Bits, other: Bits): void {
  for (let at = 0; at < bits.length; at += 1) bits[at]! &= other[at]!;
}

export function addAll(bits: Bits, other: Bits): void {
  for (let at = 0; at < bits.length; at += 1) bits[at]! |= other[at]!;
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

/** Calls `use` with each number in a set, in ascending order. `use` may remove this number from the set. */
export function eachBit(bits: Bits, use: (number: number) => void): void {
  for (let at = 0; at < bits.length; at += 1) {
    for (let word = bits[at]!; word !== 0; word &= word - 1) {
      use(at * 32 + 31 - Math.clz32(word & -word));
    }
  }
}

/** Returns the numbers in a set in ascending order, without the first `skipped` numbers; at most `size` numbers. */
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

/** A growing list of whole numbers, in which each byte stores seven bits: a number below 128 takes one byte. */
export class NumberStream {
  #bytes = new Uint8Array(64);
  length = 0;

  /** The bytes that store the numbers; this view is valid until the list changes. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const size = Math.max(this.#bytes.length * 2, this.length + count);
    this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(size));
  }

  push(number: number): void {
    this.#reserve(5);
    let rest = number;
    for (; rest > 127; rest >>>= 7) {
      this.#bytes[this.length] = (rest & 127) | 128;
      this.length += 1;
    }
    this.#bytes[this.length] = rest;
    this.length += 1;
  }

  /** Replaces all bytes after the first `length` bytes by `bytes`. */
  replace(length: number, bytes: Uint8Array): void {
    this.length = length;
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, length);
    this.length += bytes.length;
  }
}

/** Calls `use` with each number in the bytes of a `NumberStream`. */
export function eachNumber(bytes: Uint8Array, use: (number: number) => void): void {
  for (let at = 0, number = 0, shift = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    number |= (byte & 127) << shift;
    shift += 7;
    if (byte > 127) continue;
    use(number);
    number = shift = 0;
  }
}
