import { addAll, addList, type Bits, wordsFor } from './search-bits.ts';

/** Terms and what has them, such as companies: what `TermTable` collects, in arrays that can be kept. */
export interface TermArrays {
  /** The texts of the terms, one after another. */
  text: Uint8Array<ArrayBuffer>;
  /** Where each ends. */
  ends: Uint32Array<ArrayBuffer>;
  /** Where the list of each ends in `lists`; of a frequent term it is empty. */
  places: Uint32Array<ArrayBuffer>;
  /** The gaps between the numbers of those that have a term, as `NumberStream` writes them. */
  lists: Uint8Array<ArrayBuffer>;
  /** The frequent terms, ascending, and of each the set of those that have it. */
  frequent: Uint32Array<ArrayBuffer>;
  bitmaps: Bits;
}

/** The lowest number from `first` to below `count` that passes a test, which all after it pass too. */
export function findLowest(count: number, passes: (number: number) => boolean, first = 0): number {
  let [low, high] = [first, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What has which terms: each text, and the set of those that have it. */
export class TermIndex {
  readonly #arrays: TermArrays;
  /** The same as a buffer, which compares. */
  readonly #text: Buffer;
  /** How many there are that may have a term. */
  readonly #size: number;

  constructor(arrays: TermArrays, size: number) {
    [this.#arrays, this.#size] = [arrays, size];
    this.#text = Buffer.from(arrays.text.buffer, arrays.text.byteOffset, arrays.text.length);
  }

  startOf(term: number): number {
    return term === 0 ? 0 : this.#arrays.ends[term - 1]!;
  }

  endOf(term: number): number {
    return this.#arrays.ends[term]!;
  }

  /** Where terms are in the order of their texts: the first one whose text is `text` or after it. */
  placeOf(text: string | Uint8Array): number {
    const wanted = Buffer.from(text);
    const passes = (term: number) =>
      wanted.compare(this.#text, this.startOf(term), this.endOf(term)) <= 0;
    return findLowest(this.#arrays.ends.length, passes);
  }

  /** The number of the term with a text; undefined: there is none. */
  find(text: Uint8Array): number | undefined {
    const term = this.placeOf(text);
    if (term === this.#arrays.ends.length) return undefined;
    const isThis = this.#text.compare(text, 0, text.length, this.startOf(term), this.endOf(term));
    return isThis === 0 ? term : undefined;
  }

  /** About how many have the terms from `first` to before `last`. */
  estimate(first: number, last: number): number {
    const { places, frequent } = this.#arrays;
    if (first >= last) return 0;
    const after = findLowest(frequent.length, (at) => frequent[at]! >= last);
    const before = findLowest(frequent.length, (at) => frequent[at]! >= first);
    return places[last - 1]! - (places[first - 1] ?? 0) + (after - before) * this.#size;
  }

  /** The bitmap of a term; undefined where it has a list. */
  bitmapOf(term: number): Bits | undefined {
    const { frequent, bitmaps } = this.#arrays;
    const at = findLowest(frequent.length, (one) => frequent[one]! >= term);
    const words = wordsFor(this.#size);
    return frequent[at] === term ? bitmaps.subarray(at * words, (at + 1) * words) : undefined;
  }

  /** Adds all that have a term to a set. @returns the set */
  addTo(bits: Bits, term: number): Bits {
    const { places, lists } = this.#arrays;
    const [start, end] = [term === 0 ? 0 : places[term - 1]!, places[term]!];
    if (start < end) addList(bits, lists, start, end);
    else addAll(bits, this.bitmapOf(term)!);
    return bits;
  }
}
