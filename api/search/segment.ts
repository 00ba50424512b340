import { eachBit, hasBit, listBits, noBits, removeBit, type Bits } from './bits.ts';
import type { SearchFilter } from './filter.ts';
import { TermIndex, type TermArrays } from './terms.ts';

/** The filters that compare the whole of a column of `search_rows.sql`, in its order. */
export const columns = [
  'country',
  'status',
  'voivodeship',
  'legal_form',
  'city',
  'postal_code',
] as const;

/** The text of a term begins with its kind: the place of its column, or one of these. */
export const [divisionKind, activityKind] = [columns.length, columns.length + 1];

/** The length of the code of a division, with which each code of its activities begins. */
export const divisionLength = 2;

/** How many companies share one place in `nameStarts`. */
export const nameBlock = 4;

/** Where the companies of a segment come from: their ids are `from` or higher, and lower than `to`. */
export interface SegmentHead {
  from: number;
  /** Null: without an end. */
  to: number | null;
  /** The snapshot of the rows. */
  snapshot_no: number;
  /** Its number and time, which another database or an older state of this one does not have. */
  publication: string;
  loaded_at: string;
}

/** Some companies with what a search compares. A company has a number: its place in `ids`. */
export interface SegmentData {
  head: SegmentHead;
  /** Their ids, ascending, less the first one. */
  ids: Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  /** Below 2^53: registry.last_id holds no larger id. */
  first_id: number;
  /** The days of start as numbers, such as 20121231; 0: unknown. */
  starts: Uint32Array<ArrayBuffer>;
  /** What companies have, in the order of the texts. */
  terms: TermArrays;
  /** The words of their names, each after a space. */
  words: TermArrays;
  /** The pairs of characters that words have, with a space before and after, in the order of the pairs. */
  pairs: TermArrays;
  /** The names: the numbers of their words plus 1, then a 0. */
  names: Uint8Array<ArrayBuffer>;
  /** Where the names of each block begin. */
  nameStarts: Uint32Array<ArrayBuffer>;
}

const none: Bits = noBits(0);

/** Returns the set of all numbers below `count`, and some more. */
const allBits = (count: number): Bits => noBits(count).fill(2 ** 32 - 1);

/** Searches some companies. Nothing in a segment changes but which companies are current. */
export class Segment {
  readonly data: SegmentData;
  readonly #terms: TermIndex;
  readonly #words: TermIndex;
  readonly #pairs: TermIndex;
  /** The companies that have not changed since. */
  #current: Bits;
  /** The companies that match the present search: used again by each search. */
  readonly #matches: Bits;

  constructor(data: SegmentData) {
    this.data = data;
    this.#terms = new TermIndex(data.terms, this.count);
    this.#words = new TermIndex(data.words, this.count);
    this.#pairs = new TermIndex(data.pairs, this.#words.count);
    this.#matches = noBits(this.count);
    this.#current = allBits(this.count);
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

  /** Excludes the companies that changed, and no others, from the matches. */
  exclude(changes: readonly Segment[]): void {
    const current = allBits(this.count);
    let at = 0;
    for (const change of changes) {
      for (let number = 0; number < change.count; number += 1) {
        const id = change.idOf(number);
        while (at < this.count && this.idOf(at) < id) at += 1;
        if (at < this.count && this.idOf(at) === id) removeBit(current, at);
      }
    }
    this.#current = current;
  }

  /** Returns the set of companies that match, until the next search. */
  find(filter: SearchFilter): Bits {
    const { activity_start_from: from, activity_start_to: to, name } = filter;
    this.#matches.set(this.#current);
    for (const [text, before] of listTerms(filter)) {
      const terms = this.#terms.listTerms(text, before);
      if (terms.length === 0) return none;
      this.#terms.keepOwners(this.#matches, terms);
    }
    if (name !== undefined) this.#keepNames(name.split(' '));
    // Looks at each of the companies that are left.
    if (from ?? to) this.#keepStarts(numberOf(from ?? '1'), numberOf(to ?? '99991231'));
    return this.#matches;
  }

  /** Keeps the companies that started on a day from `from` to `to`. */
  #keepStarts(from: number, to: number): void {
    const [matches, { starts }] = [this.#matches, this.data];
    for (let at = 0; at < matches.length; at += 1) {
      let kept = 0;
      for (let word = matches[at]!; word !== 0; word &= word - 1) {
        const bit = word & -word;
        const start = starts[at * 32 + 31 - Math.clz32(bit)]!;
        // One of the differences is below 0 outside. A condition would be guessed wrong too often.
        kept |= bit & ~(((start - from) | (to - start)) >> 31);
      }
      matches[at] = kept;
    }
  }

  /**
   * Keeps the companies whose name has a part: the end of a word, whole words, and the begin of a word; or a
   * piece of one word.
   */
  #keepNames(pieces: string[]): void {
    const last = pieces.length - 1;
    const words = pieces.map((piece, at) =>
      this.#findWords((at > 0 ? ' ' : '') + piece + (at < last ? ' ' : '')),
    );
    const lengths = words.map((found) => {
      let length = 0;
      eachBit(found, (word) => (length += this.#words.lengthOf(word)));
      return length;
    });
    const matches = this.#matches;
    this.#words.keepOwners(matches, listBits(words[lengths.indexOf(Math.min(...lengths))]!));
    if (last === 0) return;
    eachBit(matches, (number) => {
      if (!hasInTurn(this.#readName(number), words)) removeBit(matches, number);
    });
  }

  /** Returns the words that have a piece, in which a space stands for the begin or the end of a word. */
  #findWords(piece: string): Bits {
    const [words, bytes] = [this.#words, Buffer.from(piece)];
    const found = allBits(words.count);
    for (let at = 0; at + 1 < piece.length; at += 1) {
      const pair = piece.slice(at, at + 2);
      this.#pairs.keepOwners(found, this.#pairs.listTerms(pair, `${pair}\0`));
    }
    if (piece.length === 2) return found;
    eachBit(found, (word) => {
      // The text of a word begins with a space, and so does what follows it.
      const [start, end] = [words.startOf(word), words.endOf(word) + 1];
      if (!has(words.text, start, end, bytes)) removeBit(found, word);
    });
    return found;
  }

  /** Returns the words of a name. Its numbers are read here: calls would take twice as long. */
  #readName(number: number): number[] {
    const { names, nameStarts } = this.data;
    let at = nameStarts[Math.floor(number / nameBlock)]!;
    for (let skipped = number % nameBlock; skipped > 0; at += 1) if (names[at] === 0) skipped -= 1;
    const words: number[] = [];
    while (names[at] !== 0) {
      let word = -1;
      for (let shift = 0, byte = 128; byte > 127; shift += 7, at += 1) {
        byte = names[at]!;
        word += (byte & 127) << shift;
      }
      words.push(word);
    }
    return words;
  }
}

/** Returns whether a name has a word of each set, one after another. */
function hasInTurn(name: number[], words: Bits[]): boolean {
  for (let start = 0; start + words.length <= name.length; start += 1) {
    let at = 0;
    while (at < words.length && hasBit(words[at]!, name[start + at]!)) at += 1;
    if (at === words.length) return true;
  }
  return false;
}

/** Returns ranges of texts, one for each filter but start and name: a company must have a term of each. */
function listTerms(filter: SearchFilter): [from: string, to: string][] {
  const terms: [string, string][] = [];
  for (const [kind, column] of columns.entries()) {
    const text = `${kind}${filter[column]}`;
    if (filter[column] !== undefined) terms.push([text, `${text}\0`]);
  }
  // A whole code is the prefix of no other code, so that both filters search by prefix.
  for (const prefix of [filter.activity_code, filter.activity_prefix]) {
    if (prefix === undefined) continue;
    const text = (prefix.length <= divisionLength ? divisionKind : activityKind) + prefix;
    terms.push([text, `${text}\u{10ffff}`]);
  }
  return terms;
}

function numberOf(day: string): number {
  return Number(day.replaceAll('-', ''));
}

/** Returns whether the bytes from `start` to before `end` have a part. */
function has(bytes: Uint8Array, start: number, end: number, part: Uint8Array): boolean {
  for (let at = start; at <= end - part.length; at += 1) {
    let same = 0;
    while (same < part.length && bytes[at + same] === part[same]) same += 1;
    if (same === part.length) return true;
  }
  return false;
}
