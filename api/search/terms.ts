import { addAll, addBit, eachNumber, keepCommon, noBits, NumberStream, type Bits } from './bits.ts';

/** Terms, such as the words of names, and the owners of each, such as companies; in arrays that can be kept. */
export interface TermArrays {
  /** The texts of the terms, one after another, and a space. */
  text: Uint8Array<ArrayBuffer>;
  /** Where each text ends. */
  ends: Uint32Array<ArrayBuffer>;
  /** Where the owners of each term end in `owners`. */
  places: Uint32Array<ArrayBuffer>;
  /** The gaps between the numbers of the owners, as `NumberStream` writes them; of a frequent term the set of owners. */
  owners: Uint8Array<ArrayBuffer>;
}

/**
 * Builds the arrays of terms. Owners come one by one: `add` adds a term to the present owner, `next` goes on
 * to the following owner. A term has the number of its first use.
 */
export class TermTable {
  readonly #numbers = new Map<string, number>();
  readonly #uses: number[] = [];
  /** Owner after owner: the number of each of its terms plus 1, then a 0 as the end of the owner. */
  readonly stream = new NumberStream();

  get terms(): MapIterator<string> {
    return this.#numbers.keys();
  }

  add(text: string): void {
    let term = this.#numbers.get(text);
    if (term === undefined) {
      term = this.#uses.push(0) - 1;
      // A copy: a substring would keep all rows of its chunk in memory.
      this.#numbers.set(Buffer.from(text).toString(), term);
    }
    this.#uses[term]! += 1;
    this.stream.push(term + 1);
  }

  next(): void {
    this.stream.push(0);
  }

  /** Returns the arrays of the terms of `size` owners, with the terms in an order. */
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
      // A set is used many times faster than a list that is half as long.
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

  /** Returns the owners of each term, ascending, in `numbers` from its start to before its last place. */
  #listOwners() {
    const starts = new Uint32Array(this.#uses.length + 1);
    for (const [term, uses] of this.#uses.entries()) starts[term + 1] = starts[term]! + uses;
    const lasts = starts.slice(0, -1);
    const numbers = new Uint32Array(starts.at(-1)!);
    let owner = 0;
    eachNumber(this.stream.bytes, (value) => {
      const last = lasts[value - 1]!;
      if (value === 0) owner += 1;
      // A term may have been added twice to an owner.
      else if (last === starts[value - 1] || numbers[last - 1] !== owner) {
        numbers[last] = owner;
        lasts[value - 1] = last + 1;
      }
    });
    return { numbers, starts, lasts };
  }
}

/** Returns the lowest number below `count` that passes a test, which all after it pass too; else `count`. */
function findLowest(count: number, passes: (number: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Looks up terms and their owners. */
export class TermIndex {
  readonly #arrays: TermArrays;
  readonly text: Buffer;
  /** The owners of some terms: used again by each look-up. */
  readonly #having: Bits;

  /** @param size the count of owners */
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

  /** Returns the terms with a text from `from` to before `to`. The terms must be in the order of their texts. */
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

  /** Returns the length of the owners of a term in bytes, which is about their count. */
  lengthOf(term: number): number {
    const { places } = this.#arrays;
    return places[term]! - (places[term - 1] ?? 0);
  }

  /** Removes from a set of owners all that have none of some terms. */
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

  /** Returns the owners of a frequent term, copied to where four bytes can be read at once. */
  #setOf(term: number): Bits | undefined {
    const bytes = this.#bytesOf(term);
    if (bytes.length < this.#having.byteLength) return undefined;
    return new Uint32Array(bytes.slice().buffer);
  }
}
