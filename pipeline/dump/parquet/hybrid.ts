const LARGEST_WIDTH = 24;

/** Reads numbers of `width` bits in the run-length and bit-packed encoding of Parquet, some at a time. */
export class Hybrid {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #width: number;
  /** The count of numbers that are left in the current run. */
  #left = 0;
  #isPacked = false;
  /** The number that a run-length run repeats. */
  #value = 0;
  /** The offset of the next number of a packed run, in bits. */
  #bit = 0;

  constructor(bytes: Uint8Array, at: number, width: number) {
    if (width > LARGEST_WIDTH) throw new Error(`a dictionary with indices of ${width} bits`);
    this.#bytes = bytes;
    this.#at = at;
    this.#width = width;
    // A dictionary of one value needs no bits.
    if (width === 0) this.#left = Infinity;
  }

  read(numbers: Uint32Array, count: number): void {
    for (let done = 0; done < count;) {
      if (this.#left === 0) this.#begin();
      const end = Math.min(count, done + this.#left);
      this.#left -= end - done;
      if (this.#isPacked) this.#unpack(numbers, done, end);
      else numbers.fill(this.#value, done, end);
      done = end;
    }
  }

  /** Reads the header of the next run. */
  #begin(): void {
    const bytes = this.#bytes;
    if (this.#at >= bytes.length) throw new Error('a page that ends too early');
    let head = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[this.#at++]!;
      head |= (byte & 127) << shift;
      if (byte < 128 || shift > 21) break;
    }
    this.#isPacked = (head & 1) === 1;
    const count = head >>> 1;
    this.#left = this.#isPacked ? count * 8 : count;
    if (this.#isPacked) {
      this.#bit = this.#at * 8;
      this.#at += count * this.#width;
      return;
    }
    this.#value = 0;
    for (let shift = 0; shift < this.#width; shift += 8) {
      this.#value |= bytes[this.#at++]! << shift;
    }
  }

  #unpack(numbers: Uint32Array, from: number, to: number): void {
    const bytes = this.#bytes;
    const width = this.#width;
    const mask = (1 << width) - 1;
    let bit = this.#bit;
    for (let at = from; at < to; at += 1, bit += width) {
      const byte = bit >>> 3;
      const word =
        bytes[byte]! |
        (bytes[byte + 1]! << 8) |
        (bytes[byte + 2]! << 16) |
        (bytes[byte + 3]! << 24);
      numbers[at] = (word >>> (bit & 7)) & mask;
    }
    this.#bit = bit;
  }
}
