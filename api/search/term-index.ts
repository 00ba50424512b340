import { addAll, addBit, eachNumber, keepCommon, noBits, NumberStream, type Bits } from './bits.ts';

/** The arrays of an inverted index: terms (such as words of names) and the owners of each term (such as companies). */
export interface TermArrays {
  /** The texts of all terms, joined without separators; one space follows the last term. */
  text: Uint8Array<ArrayBuffer>;
  /** The offset in `text` at which the text of each term ends. */
  ends: Uint32Array<ArrayBuffer>;
  /** The offset in `owners` at which the owners of each term end. */
  places: Uint32Array<ArrayBuffer>;
  /** The owners of each term: gaps between numbers as a `NumberStream`, or a bitmap (`Bits`) for a frequent term. */
  owners: Uint8Array<ArrayBuffer>;
}

/** Builds the arrays of an inverted index. `add` adds a term to the current owner; `next` begins the next owner. */
export class TermTable {
  readonly #numbers = new Map<string, number>();
  readonly #uses: number[] = [];
  /** For each owner, the numbers of its terms plus 1, then a 0 that marks the end of the owner. */
  readonly stream = new NumberStream();

  get terms(): MapIterator<string> {
    return this.#numbers.keys();
  }

  add(text: string): void {
    let term = this.#numbers.get(text);
    if (term === undefined) {
      term = this.#uses.push(0) - 1;
      // The text is copied: a substring would keep the whole chunk of rows in memory.
      this.#numbers.set(Buffer.from(text).toString(), term);
    }
    this.#uses[term]! += 1;
    this.stream.push(term + 1);
  }

  next(): void {
    this.stream.push(0);
  }

  /** Returns the arrays for the terms of `size` owners, sorted by first use or by text. */
  finish(size: number, order: 'by use' | 'by text'): TermArrays {
    const texts = [...this.terms];
    const terms = [...texts.keys()];
    if (order === 'by text') {
      const bytes = texts.map((text) => Buffer.from(text));
      terms.sort((one, other) => Buffer.compare(bytes[one]!, bytes[other]!));
    }
    const { numbers, starts, lasts } = this.#listOwners();
    const [ends, places] = [new Uint32Array(terms.length), new Uint32Array(terms.length)];
    const stream = new NumberStream();
    const bits = noBits(size);
    let end = 0;
    for (const [place, term] of terms.entries()) {
      ends[place] = end += Buffer.byteLength(texts[term]!);
      const owners = numbers.subarray(starts[term], lasts[term]);
      const start = stream.length;
      owners.forEach((owner, at) => stream.push(owner - (owners[at - 1] ?? -1)));
      // A list with at least half the bytes of a bit set is replaced by the bit set, a bitmap that is read much faster.
      if ((stream.length - start) * 2 >= bits.byteLength) {
        bits.fill(0);
        for (const owner of owners) addBit(bits, owner);
        stream.replace(start, new Uint8Array(bits.buffer));
      }
      places[place] = stream.length;
    }
    const text = Uint8Array.from(Buffer.from(`${terms.map((term) => texts[term]).join('')} `));
    return { text, ends, places, owners: stream.bytes.slice() };
  }

  /**
   * Returns `numbers`, in which the owners of term t have the indexes from `starts[t]` to `lasts[t]` - 1, ascending.
   */
  #listOwners() {
    const starts = new Uint32Array(this.#uses.length + 1);
    for (const [term, uses] of this.#uses.entries()) starts[term + 1] = starts[term]! + uses;
    const lasts = starts.slice(0, -1);
    const numbers = new Uint32Array(starts.at(-1)!);
    let owner = 0;
    eachNumber(this.stream.bytes, (value) => {
      const last = lasts[value - 1]!;
      if (value === 0) owner += 1;
      // An owner to which the same term was added twice is listed once.
      else if (last === starts[value - 1] || numbers[last - 1] !== owner) {
        numbers[last] = owner;
        lasts[value - 1] = last + 1;
      }
    });
    return { numbers, starts, lasts };
  }
}

/** Returns the lowest number below `count` that passes a test, else `count`. All higher numbers must pass the test. */
export function findLowest(count: number, passes: (number: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Finds terms by text, and the owners of terms. */
export class TermIndex {
  readonly #arrays: TermArrays;
  readonly text: Buffer;
  /** The owners of the terms of the current look-up; each look-up reuses this set. */
  readonly #having: Bits;

  /** @param size the number of owners of terms */
  constructor(arrays: TermArrays, size: number) {
    this.#arrays = arrays;
    this.#having = noBits(size);
    this.text = Buffer.from(arrays.text.buffer, arrays.text.byteOffset, arrays.text.length);
  }

  get count(): number {
    return this.#arrays.ends.length;
  }

  startOf(term: number): number {
    return this.#arrays.ends[term - 1] ?? 0;
  }

  endOf(term: number): number {
    return this.#arrays.ends[term]!;
  }

  /** Returns the numbers of the terms whose text is at least `from` and below `to`. Terms must be sorted by text. */
  listTerms(from: string, to: string): number[] {
    const [first, last] = [from, to].map((text) => {
      const wanted = Buffer.from(text);
      return findLowest(
        this.count,
        (term) => wanted.compare(this.text, this.startOf(term), this.endOf(term)) <= 0,
      );
    }) as [number, number];
    return Array.from({ length: last - first }, (_, at) => first + at);
  }

  /** Removes from a set the owners that have none of the given terms. */
  keepOwners(owners: Bits, terms: readonly number[]): void {
    const set = terms.length === 1 ? this.#setOf(terms[0]!) : undefined;
    if (!set) {
      this.#having.fill(0);
      for (const term of terms) this.#addOwners(this.#having, term);
    }
    keepCommon(owners, set ?? this.#having);
  }

  #addOwners(owners: Bits, term: number): void {
    const set = this.#setOf(term);
    if (set) addAll(owners, set);
    else {
      let owner = -1;
      eachNumber(this.#bytesOf(term), (gap) => addBit(owners, (owner += gap)));
    }
  }

  #bytesOf(term: number): Uint8Array {
    const { places, owners } = this.#arrays;
    return owners.subarray(places[term - 1] ?? 0, places[term]);
  }

  /** Returns a copy of the bit set of a frequent term's owners, aligned for fast reads; undefined for a rare term. */
  #setOf(term: number): Bits | undefined {
    const bytes = this.#bytesOf(term);
    if (bytes.length < this.#having.byteLength) return undefined;
    return new Uint32Array(bytes.slice().buffer);
  }
}
