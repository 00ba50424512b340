import { addAll, addBit, eachNumber, keepCommon, noBits, NumberStream, type Bits } from './bits.ts';

/** The arrays of an inverted index, which maps each term (such as a word) to its owners (such as companies). */
export interface TermArrays {
  /** The texts of all terms, joined without separators; after the last term there is one space. */
  text: Uint8Array<ArrayBuffer>;
  /** The offset in bytes in `text` at which the text of each term ends. */
  ends: Uint32Array<ArrayBuffer>;
  /** The offset in bytes in `owners` at which the owners of each term end. */
  places: Uint32Array<ArrayBuffer>;
  /** The owners of each term: the gaps between their numbers (`NumberStream`), or a bitmap for a frequent term. */
  owners: Uint8Array<ArrayBuffer>;
}

/** Builds the arrays of an inverted index. `add` adds a term to the current owner; `next` starts a new owner. */
export class TermTable {
  readonly #numbers = new Map<string, number>();
  readonly #uses: number[] = [];
  /** For each owner: the numbers of its terms, each plus 1, and then 0 as the end of the owner. */
  readonly stream = new NumberStream();

  get terms(): MapIterator<string> {
    return this.#numbers.keys();
  }

  add(text: string): void {
    let term = this.#numbers.get(text);
    if (term === undefined) {
      term = this.#uses.push(0) - 1;
      // The text is copied, since V8 keeps the whole chunk of rows in memory for a substring.
      this.#numbers.set(Buffer.from(text).toString(), term);
    }
    this.#uses[term]! += 1;
    this.stream.push(term + 1);
  }

  next(): void {
    this.stream.push(0);
  }

  /** Returns the arrays of the inverted index of `size` owners; the terms are sorted by first use or by text. */
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
      // A list of owners with at least half the bytes of a bitmap is replaced by the bitmap, which is read much faster.
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

  /** Returns the owners of all terms: the owners of term t are `numbers[starts[t]]` to `numbers[lasts[t] - 1]`. */
  #listOwners() {
    const starts = new Uint32Array(this.#uses.length + 1);
    for (const [term, uses] of this.#uses.entries()) starts[term + 1] = starts[term]! + uses;
    const lasts = starts.slice(0, -1);
    const numbers = new Uint32Array(starts.at(-1)!);
    let owner = 0;
    eachNumber(this.stream.bytes, (value) => {
      const last = lasts[value - 1]!;
      if (value === 0) owner += 1;
      // An owner is listed once, even if the term was added to this owner twice.
      else if (last === starts[value - 1] || numbers[last - 1] !== owner) {
        numbers[last] = owner;
        lasts[value - 1] = last + 1;
      }
    });
    return { numbers, starts, lasts };
  }
}

/** Returns the lowest number below `count` that passes a test (which all higher numbers must pass too), or `count`. */
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
  /** The owners of at least one term of the current look-up; the next look-up overwrites this set. */
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

  /** Returns the numbers of the terms from the text `from` to below `to`. The terms must be sorted by text. */
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

  /** Removes from the set `owners` each owner that has none of the given terms. */
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

  /** Returns the bitmap of a frequent term's owners, copied to align it for fast reads; undefined for a rare term. */
  #setOf(term: number): Bits | undefined {
    const bytes = this.#bytesOf(term);
    if (bytes.length < this.#having.byteLength) return undefined;
    return new Uint32Array(bytes.slice().buffer);
  }
}
