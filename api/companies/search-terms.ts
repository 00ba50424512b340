import {
  addAll,
  addBit,
  eachNumber,
  keepCommon,
  noBits,
  NumberStream,
  type Bits,
} from './search-bits.ts';

/** A term that more than one owner in so many has is frequent. */
const frequentOf = 16;

/** Terms, such as the words of names, and the owners of each, such as companies; in arrays that can be kept. */
export interface TermArrays {
  /** The texts of the terms, one after another, and a space. */
  text: Uint8Array<ArrayBuffer>;
  /** Where each ends. */
  ends: Uint32Array<ArrayBuffer>;
  /** Where the list of each ends in `lists`; of a frequent term it is empty. */
  places: Uint32Array<ArrayBuffer>;
  /** The gaps between the numbers of the owners of a term, as `NumberStream` writes them. */
  lists: Uint8Array<ArrayBuffer>;
  /** The frequent terms, ascending, and the set of owners of each. */
  frequent: Uint32Array<ArrayBuffer>;
  bitmaps: Bits;
}

/**
 * Builds the arrays of terms. Owners come one by one: `add` gives a term to the present owner, `next` goes on
 * to the one after. A term has the number of its first use.
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

  /** The arrays of the terms of `size` owners, with the terms in an order. */
  finish(size: number, order: 'by use' | 'by text'): TermArrays {
    const texts = [...this.terms];
    const terms = [...texts.keys()];
    if (order === 'by text') {
      const bytes = texts.map((text) => Buffer.from(text));
      terms.sort((one, other) => Buffer.compare(bytes[one]!, bytes[other]!));
    }
    const { numbers, starts, lasts } = this.#listOwners();
    const [ends, places] = [new Uint32Array(terms.length), new Uint32Array(terms.length)];
    const lists = new NumberStream();
    const [frequent, bitmaps]: [number[], Bits[]] = [[], []];
    let end = 0;
    for (const [place, term] of terms.entries()) {
      ends[place] = end += Buffer.byteLength(texts[term]!);
      const owners = numbers.subarray(starts[term], lasts[term]);
      if (owners.length * frequentOf > size) {
        const bits = noBits(size);
        for (const owner of owners) addBit(bits, owner);
        frequent.push(place);
        bitmaps.push(bits);
      } else owners.forEach((owner, at) => lists.push(owner - (owners[at - 1] ?? -1)));
      places[place] = lists.length;
    }
    const joined = new Uint32Array(bitmaps.length * noBits(size).length);
    for (const [at, bits] of bitmaps.entries()) joined.set(bits, at * bits.length);
    return {
      text: Uint8Array.from(Buffer.from(`${terms.map((term) => texts[term]).join('')} `)),
      ends,
      places,
      lists: lists.bytes.slice(0, lists.length),
      frequent: Uint32Array.from(frequent),
      bitmaps: joined,
    };
  }

  /** @returns the owners of each term, ascending, in `numbers` from its start to before its last place */
  #listOwners() {
    const starts = new Uint32Array(this.#uses.length + 1);
    for (const [term, uses] of this.#uses.entries()) starts[term + 1] = starts[term]! + uses;
    const lasts = starts.slice(0, -1);
    const numbers = new Uint32Array(starts.at(-1)!);
    let owner = 0;
    eachNumber(this.stream.bytes, 0, this.stream.length, (value) => {
      const last = lasts[value - 1]!;
      if (value === 0) owner += 1;
      // An owner may have been given a term twice.
      else if (last === starts[value - 1] || numbers[last - 1] !== owner) {
        numbers[last] = owner;
        lasts[value - 1] = last + 1;
      }
    });
    return { numbers, starts, lasts };
  }
}

/** The lowest number below `count` that passes a test, which all after it pass too. */
export function findLowest(count: number, passes: (number: number) => boolean): number {
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
  /** How many owners there are. */
  readonly #size: number;
  /** The owners of some terms: used again by each look. */
  #having: Bits | undefined;

  constructor(arrays: TermArrays, size: number) {
    [this.#arrays, this.#size] = [arrays, size];
    this.text = Buffer.from(arrays.text.buffer, arrays.text.byteOffset, arrays.text.length);
  }

  get count(): number {
    return this.#arrays.ends.length;
  }

  startOf(term: number): number {
    return term === 0 ? 0 : this.#arrays.ends[term - 1]!;
  }

  endOf(term: number): number {
    return this.#arrays.ends[term]!;
  }

  /** The terms whose text is from `from` to before `to`. The terms must be in the order of their texts. */
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

  /** About how many owners a term has. */
  estimate(term: number): number {
    const { places } = this.#arrays;
    return places[term]! - (places[term - 1] ?? 0) || this.#size;
  }

  /** Keeps in a set of owners those that have one of some terms. */
  keepOwners(owners: Bits, terms: readonly number[]): void {
    const bitmap = terms.length === 1 ? this.#bitmapOf(terms[0]!) : undefined;
    if (bitmap) {
      keepCommon(owners, bitmap);
      return;
    }
    this.#having ??= noBits(this.#size);
    this.#having.fill(0);
    for (const term of terms) this.#addOwners(this.#having, term);
    keepCommon(owners, this.#having);
  }

  #addOwners(owners: Bits, term: number): void {
    const bitmap = this.#bitmapOf(term);
    if (bitmap) {
      addAll(owners, bitmap);
      return;
    }
    const { places, lists } = this.#arrays;
    let owner = -1;
    eachNumber(lists, places[term - 1] ?? 0, places[term]!, (gap) =>
      addBit(owners, (owner += gap)),
    );
  }

  /** The owners of a frequent term. */
  #bitmapOf(term: number): Bits | undefined {
    const { places, frequent, bitmaps } = this.#arrays;
    if (places[term] !== (places[term - 1] ?? 0)) return undefined;
    const at = findLowest(frequent.length, (one) => frequent[one]! >= term);
    const length = bitmaps.length / frequent.length;
    return bitmaps.subarray(at * length, (at + 1) * length);
  }
}
