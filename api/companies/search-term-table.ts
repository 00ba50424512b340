import { addBit, NumberStream, wordsFor, type Bits } from './search-bits.ts';
import type { TermArrays } from './search-terms.ts';

/** A term that one of so many has is frequent. */
const frequentOf = 16;

/** Collects who has which terms. The number of a term is that of its first use. */
export class TermTable {
  readonly #numbers = new Map<string, number>();
  readonly #uses: number[] = [];
  /** The terms of each in turn, plus 1, and after those of each a 0. */
  readonly stream = new NumberStream();

  get terms(): MapIterator<string> {
    return this.#numbers.keys();
  }

  /** Adds a term to the one whose turn it is. */
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

  /** Ends the turn. */
  next(): void {
    this.stream.push(0);
  }

  /** The terms, and who has each, of `size` that had turns. */
  finish(size: number, order: 'by use' | 'by text'): TermArrays {
    const texts = [...this.terms];
    const terms = [...texts.keys()];
    if (order === 'by text') {
      const bytes = texts.map((text) => Buffer.from(text));
      terms.sort((one, other) => Buffer.compare(bytes[one]!, bytes[other]!));
    }
    const { numbers, starts, lasts } = this.#transpose();
    const [ends, places] = [new Uint32Array(terms.length), new Uint32Array(terms.length)];
    const lists = new NumberStream();
    const [frequent, bitmaps]: [number[], Bits[]] = [[], []];
    let end = 0;
    for (const [place, term] of terms.entries()) {
      ends[place] = end += Buffer.byteLength(texts[term]!);
      const own = numbers.subarray(starts[term], lasts[term]);
      if (own.length * frequentOf > size) {
        frequent.push(place);
        bitmaps.push(setOf(own, size));
      } else for (let at = 0; at < own.length; at += 1) lists.push(own[at]! - (own[at - 1] ?? -1));
      places[place] = lists.length;
    }
    const joined = new Uint32Array(bitmaps.length * wordsFor(size));
    for (const [at, bits] of bitmaps.entries()) joined.set(bits, at * wordsFor(size));
    return {
      text: Uint8Array.from(Buffer.from(terms.map((term) => texts[term]).join(''))),
      ends,
      places,
      lists: lists.bytes.slice(0, lists.length),
      frequent: Uint32Array.from(frequent),
      bitmaps: joined,
    };
  }

  /** @returns those that have each term, from its start to before its last place */
  #transpose() {
    const starts = new Uint32Array(this.#uses.length + 1);
    for (const [term, uses] of this.#uses.entries()) starts[term + 1] = starts[term]! + uses;
    const lasts = starts.slice(0, -1);
    const numbers = new Uint32Array(starts.at(-1)!);
    const { bytes, length } = this.stream;
    for (let at = 0, number = 0, value = 0, shift = 0; at < length; at += 1) {
      const byte = bytes[at]!;
      value |= (byte & 127) << shift;
      shift += 7;
      if (byte > 127) continue;
      const last = lasts[value - 1]!;
      if (value === 0) number += 1;
      // It may have a term twice.
      else if (last === starts[value - 1] || numbers[last - 1] !== number) {
        numbers[last] = number;
        lasts[value - 1] = last + 1;
      }
      value = shift = 0;
    }
    return { numbers, starts, lasts };
  }
}

function setOf(numbers: Uint32Array, size: number): Bits {
  const bits = new Uint32Array(wordsFor(size));
  for (const number of numbers) addBit(bits, number);
  return bits;
}
