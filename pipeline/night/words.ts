/** Slots at first: a power of two, and more than twice the words that are to be expected. */
const firstSlots = 8192;

/**
 * Numbers the words that are read out of bytes: to make a string of each would take most of the time
 * where a few thousand words come up millions of times.
 */
export class Words {
  /** Where the last word ended that was read. */
  end = 0;
  readonly #texts: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  /** At the hash of a word, or at the next free slot: the number of the word, plus one. */
  #slots = new Int32Array(firstSlots);

  /** @returns the number of the word that begins at `from` and is followed by the byte `stop` */
  read(bytes: Uint8Array, from: number, stop: number): number {
    let hash = 0;
    let end = from;
    for (; bytes[end] !== stop; end += 1) hash = Math.imul(hash ^ bytes[end]!, 0x01000193);
    this.end = end;
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const word = this.#slots[slot]! - 1;
      if (word === -1) return this.#add(bytes.slice(from, end), slot);
      if (isAt(bytes, from, end, this.#bytes[word]!)) return word;
    }
  }

  textOf(word: number): string {
    return this.#texts[word]!;
  }

  #add(bytes: Uint8Array, slot: number): number {
    this.#bytes.push(bytes);
    this.#slots[slot] = this.#texts.push(Buffer.from(bytes).toString());
    if (this.#texts.length * 2 > this.#slots.length) this.#grow();
    return this.#texts.length - 1;
  }

  /** The words keep their numbers, and are found again where there is more room. */
  #grow(): void {
    const words = this.#bytes.splice(0);
    this.#texts.length = 0;
    this.#slots = new Int32Array(this.#slots.length * 2);
    const { end } = this;
    for (const bytes of words) this.read(Uint8Array.of(...bytes, 0), 0, 0);
    this.end = end;
  }
}

function isAt(bytes: Uint8Array, from: number, end: number, word: Uint8Array): boolean {
  if (word.length !== end - from) return false;
  for (let at = 0; at < word.length; at += 1) if (bytes[from + at] !== word[at]) return false;
  return true;
}
