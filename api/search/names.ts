import { allBits, eachBit, hasBit, listBits, removeBit, type Bits } from './bits.ts';
import { TermIndex, type TermArrays } from './term-index.ts';

/** The number of companies in a block; the array `nameStarts` has one offset for each block. */
export const nameBlock = 4;

/** The names of companies by api/search_rows.sql; segment-builder.ts cuts them into words, and words into pairs. */
export interface NameArrays {
  /** The distinct words of all company names; each word's text begins with a space. */
  words: TermArrays;
  /** The pairs of successive characters in the words, sorted; each word begins and ends with a space. */
  pairs: TermArrays;
  /** Each company's names as numbers of words, plus 1; the empty word separates names, 0 marks the company's end. */
  names: Uint8Array<ArrayBuffer>;
  /** The offset in `names` at which each block of `nameBlock` companies begins. */
  nameStarts: Uint32Array<ArrayBuffer>;
}

/** Finds companies by pieces of text in their names. */
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

  /** Keeps in `matches` only companies with a name that contains the given pieces, joined by spaces. */
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

  /** Returns the words that contain a piece of text; a space in the piece matches the beginning or end of a word. */
  #findWords(piece: string): Bits {
    const [words, bytes] = [this.#words, Buffer.from(piece)];
    const found = allBits(words.count);
    for (let at = 0; at + 1 < piece.length; at += 1) {
      const pair = piece.slice(at, at + 2);
      this.#pairs.keepOwners(found, this.#pairs.listTerms(pair, `${pair}\0`));
    }
    if (piece.length === 2) return found;
    eachBit(found, (word) => {
      // Each word's text begins with a space, so the space of the next word marks the end of a word.
      const text = words.text.subarray(words.startOf(word), words.endOf(word) + 1);
      if (!text.includes(bytes)) removeBit(found, word);
    });
    return found;
  }

  /** Returns the numbers of the words in a company's names. Decoding is inline, since calls would double the time. */
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

/** Returns whether successive words of a name are in the sets `words[0]`, `words[1]` … (none has the empty word). */
function hasInTurn(name: number[], words: Bits[]): boolean {
  for (let start = 0; start + words.length <= name.length; start += 1) {
    let at = 0;
    while (at < words.length && hasBit(words[at]!, name[start + at]!)) at += 1;
    if (at === words.length) return true;
  }
  return false;
}
