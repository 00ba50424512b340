import { allBits, eachBit, hasBit, listBits, removeBit, type Bits } from './bits.ts';
import { TermIndex, type TermArrays } from './term-index.ts';

/** The number of companies in a block; the array `nameStarts` has one offset per block. */
export const nameBlock = 4;

/** All names of companies, which segment-builder.ts cuts into words, and the words into pairs (bigrams). */
export interface NameArrays {
  /** The words of all company names, each with a space before it. */
  words: TermArrays;
  /** The pairs of characters in the words, sorted; each word has a space at both ends. */
  pairs: TermArrays;
  /** The names of each company as word numbers plus 1; the empty word separates names, and 0 ends the company. */
  names: Uint8Array<ArrayBuffer>;
  /** The offset in `names` at which each block of `nameBlock` companies begins. */
  nameStarts: Uint32Array<ArrayBuffer>;
}

/** Finds companies by parts of their names. */
export class NameIndex {
  readonly #arrays: NameArrays;
  readonly #words: TermIndex;
  readonly #pairs: TermIndex;

  /** @param size the number of companies in the segment */
  constructor(arrays: NameArrays, size: number) {
    this.#arrays = arrays;
    this.#words = new TermIndex(arrays.words, size);
    this.#pairs = new TermIndex(arrays.pairs, this.#words.count);
  }

  /** Keeps the matches with a name that contains the given pieces in sequence, with one space between two pieces. */
  keep(matches: Bits, pieces: string[]): void {
    const last = pieces.length - 1;
    const words = pieces.map((piece, at) =>
      this.#findWords((at > 0 ? ' ' : '') + piece + (at < last ? ' ' : '')),
    );
    for (const found of words) this.#words.keepOwners(matches, listBits(found));
    if (last === 0) return;
    eachBit(matches, (number) => {
      if (!hasInTurn(this.#readName(number), words)) removeBit(matches, number);
    });
  }

  /** Returns the set of words that contain a piece of text; a space in the piece matches a word's beginning or end. */
  #findWords(piece: string): Bits {
    const [words, bytes] = [this.#words, Buffer.from(piece)];
    const found = allBits(words.count);
    for (let at = 0; at + 1 < piece.length; at += 1) {
      const pair = piece.slice(at, at + 2);
      this.#pairs.keepOwners(found, this.#pairs.listTerms(pair, `${pair}\0`));
    }
    if (piece.length === 2) return found;
    eachBit(found, (word) => {
      // The text of each word begins with a space, so the next word's space also marks the end of a word.
      const text = words.text.subarray(words.startOf(word), words.endOf(word) + 1);
      if (!text.includes(bytes)) removeBit(found, word);
    });
    return found;
  }

  /** Returns the word numbers of a company's names. The decoder is inline: function calls would double the time. */
  #readName(number: number): number[] {
    const { names, nameStarts } = this.#arrays;
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

/** Returns whether consecutive words of a name are in the given sets, in order. No set contains the empty word. */
function hasInTurn(name: number[], words: Bits[]): boolean {
  for (let start = 0; start + words.length <= name.length; start += 1) {
    let at = 0;
    while (at < words.length && hasBit(words[at]!, name[start + at]!)) at += 1;
    if (at === words.length) return true;
  }
  return false;
}
