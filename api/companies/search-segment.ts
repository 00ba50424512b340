import {
  addBit,
  countBits,
  keepCommon,
  listBits,
  removeAll,
  wordsFor,
  type Bits,
} from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import { kinds, nameBlock, type SegmentData, type SegmentHead } from './search-layout.ts';
import { findLowest, TermIndex } from './search-terms.ts';

/** So few names are compared one by one: that is faster than a look through all words. */
const fewNames = 4096;

/** The filters that stand for one term each. */
const columns = ['country', 'status', 'voivodeship', 'legal_form', 'city', 'postal_code'] as const;

/** After a text, it comes after all texts that begin so. */
const after = '\u{10ffff}';

/** Terms from the first to before the last, in the order of their texts. */
type Terms = [first: number, last: number];

/** Sets that are used again by each search. */
const [found, united, paired, listed] = [0, 1, 2, 3].map(createScratch) as [
  Scratch,
  Scratch,
  Scratch,
  Scratch,
];

type Scratch = ReturnType<typeof createScratch>;

let nameScratch = new Uint8Array(1024);

function createScratch() {
  let words: Bits = new Uint32Array(0);
  return (count: number): Bits => {
    if (words.length < wordsFor(count)) words = new Uint32Array(wordsFor(count));
    return words.subarray(0, wordsFor(count)).fill(0);
  };
}

/** Searches some companies. Nothing in a segment changes but what counts as outdated. */
export class Segment {
  readonly data: SegmentData;
  readonly #terms: TermIndex;
  readonly #words: TermIndex;
  readonly #pairs: TermIndex;
  /** Companies that a newer segment has. */
  #outdated: Bits | undefined;

  constructor(data: SegmentData) {
    this.data = data;
    const words = data.words.ends.length;
    this.#terms = new TermIndex(data.terms, this.count);
    this.#words = new TermIndex(data.words, this.count);
    this.#pairs = new TermIndex(data.pairs, words);
  }

  get head(): SegmentHead {
    return this.data.head;
  }

  get count(): number {
    return this.data.ids.length;
  }

  idOf(number: number): number {
    return this.data.first_id + this.data.ids[number]!;
  }

  /** Marks the companies that a newer segment has as outdated here. */
  outdate(newer: Segment): void {
    const [few, many] = this.count < newer.count ? [this, newer] : [newer, this];
    for (let number = 0; number < few.count; number += 1) {
      const id = few.idOf(number);
      const there = findLowest(many.count, (one) => many.idOf(one) >= id);
      if (many.idOf(there) !== id) continue;
      this.#outdated ??= new Uint32Array(wordsFor(this.count));
      addBit(this.#outdated, few === this ? number : there);
    }
  }

  /** The companies that match; undefined: none. The set lasts until the next search. */
  find(filter: SearchFilter): Bits | undefined {
    const wanted = this.#listTerms(filter)
      .map((terms) => ({ terms, estimate: this.#terms.estimate(...terms) }))
      .toSorted((one, other) => one.estimate - other.estimate);
    if (wanted[0]!.estimate === 0) return undefined;
    const matches = found(this.count);
    for (const [at, { terms }] of wanted.entries()) {
      if (at === 0) this.#addTerms(matches, terms);
      else keepCommon(matches, this.#unite(terms));
    }
    if (this.#outdated) removeAll(matches, this.#outdated);
    const { activity_start_from, activity_start_to, name } = filter;
    if (activity_start_from ?? activity_start_to) {
      this.#keepStarts(
        matches,
        numberOf(activity_start_from ?? '1'),
        numberOf(activity_start_to ?? '99991231'),
      );
    }
    if (name !== undefined) this.#keepNames(matches, name);
    return matches;
  }

  /** Of each filter the terms of which a company must have one. */
  #listTerms(filter: SearchFilter): Terms[] {
    const wanted: Terms[] = [];
    const ask = (text: string, before: string) =>
      wanted.push([this.#terms.placeOf(text), this.#terms.placeOf(before)]);
    for (const column of columns) {
      const text = kinds[column] + filter[column];
      if (filter[column] !== undefined) ask(text, `${text}\0`);
    }
    // A whole code is the prefix of no other code, so that both filters search by prefix.
    for (const prefix of [filter.activity_code, filter.activity_prefix]) {
      if (prefix === undefined) continue;
      const text = (prefix.length <= 2 ? kinds.division : kinds.activity) + prefix;
      ask(text, text + (prefix.length === 2 ? '\0' : after));
    }
    return wanted;
  }

  /** The companies that have any of the terms. */
  #unite([first, last]: Terms): Bits {
    const bitmap = last === first + 1 ? this.#terms.bitmapOf(first) : undefined;
    return bitmap ?? this.#addTerms(united(this.count), [first, last]);
  }

  #addTerms(bits: Bits, [first, last]: Terms): Bits {
    for (let term = first; term < last; term += 1) this.#terms.addTo(bits, term);
    return bits;
  }

  /** Keeps the companies that started on a day from `from` to `to`. */
  #keepStarts(matches: Bits, from: number, to: number): void {
    const { starts } = this.data;
    for (let at = 0; at < matches.length; at += 1) {
      for (let word = matches[at]!; word !== 0; word &= word - 1) {
        const bit = word & -word;
        const start = starts[at * 32 + 31 - Math.clz32(bit)]!;
        if (start < from || start > to) matches[at]! &= ~bit;
      }
    }
  }

  /** Keeps the companies whose name has a part. */
  #keepNames(matches: Bits, part: string): void {
    const pieces = part.split(' ');
    // Each with the spaces that part it from the others.
    const bounded = pieces.map((piece, at) => {
      return (at > 0 ? ' ' : '') + piece + (at < pieces.length - 1 ? ' ' : '');
    });
    // A client may ask for a name of many words, and each takes a look through all of them.
    for (const piece of bounded.toSorted((one, other) => other.length - one.length).slice(0, 2)) {
      if (countBits(matches) <= fewNames) break;
      keepCommon(matches, this.#findByWord(piece));
      if (pieces.length === 1) return;
    }
    this.#compareNames(matches, Buffer.from(part));
  }

  /** The companies that have a word with a piece; a space stands for the begin or the end of the word. */
  #findByWord(piece: string): Bits {
    const bits = united(this.count);
    const size = this.data.words.ends.length;
    const words = paired(size);
    for (let at = 0; at + 1 < piece.length; at += 1) {
      const term = this.#pairs.find(Buffer.from(piece.slice(at, at + 2)));
      if (term === undefined) return bits;
      if (at === 0) this.#pairs.addTo(words, term);
      else keepCommon(words, this.#pairs.bitmapOf(term) ?? this.#pairs.addTo(listed(size), term));
    }
    const [text, bytes] = [this.data.words.text, Buffer.from(piece)];
    for (const word of listBits(words)) {
      // The text of a word begins with a space. Where another word follows, so does a space.
      const [start, end] = [this.#words.startOf(word), this.#words.endOf(word) + 1];
      if (piece.length === 2 || has(text, start, end, bytes)) this.#words.addTo(bits, word);
    }
    return bits;
  }

  #compareNames(matches: Bits, part: Uint8Array): void {
    for (const number of listBits(matches)) {
      const length = this.#readName(number);
      if (!has(nameScratch, 0, length, part)) matches[number >>> 5]! &= ~(1 << (number & 31));
    }
  }

  /** Writes a name, with a space at its end, into the scratch. @returns the length */
  #readName(number: number): number {
    const { names, nameStarts, words } = this.data;
    let at = nameStarts[Math.floor(number / nameBlock)]!;
    for (let skipped = number % nameBlock; skipped > 0; at += 1) if (names[at] === 0) skipped -= 1;
    let length = 0;
    while (names[at] !== 0) {
      let word = -1;
      for (let shift = 0; ; shift += 7) {
        const byte = names[at]!;
        at += 1;
        word += (byte & 127) << shift;
        if (byte < 128) break;
      }
      const [start, end] = [this.#words.startOf(word) + 1, this.#words.endOf(word)];
      while (length + end - start >= nameScratch.length) {
        nameScratch = new Uint8Array(nameScratch.buffer.transfer(nameScratch.length * 2));
      }
      for (let next = start; next <= end; next += 1, length += 1) {
        nameScratch[length] = words.text[next]!;
      }
    }
    return length;
  }
}

function numberOf(day: string): number {
  return Number(day.replaceAll('-', ''));
}

/** Whether the bytes from `start` to `end` have a part. */
function has(bytes: Uint8Array, start: number, end: number, part: Uint8Array): boolean {
  for (let at = start; at <= end - part.length; at += 1) {
    let same = 0;
    while (same < part.length && bytes[at + same] === part[same]) same += 1;
    if (same === part.length) return true;
  }
  return false;
}
