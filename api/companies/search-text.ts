import { makeBits, type Bits } from './search-bits.ts';

/** One text per company, as a code of two or four bytes. */
export class TextColumn {
  /** The codes of the texts; 0 stands for no text. */
  readonly #codes = new Map<string, number>();
  #values: Uint16Array | Uint32Array = new Uint16Array(32);

  set(number: number, text: string | null): void {
    const code = text === null ? 0 : this.#codeOf(text);
    if (number >= this.#values.length) {
      // A multiple of 32 values, so that a scan reads whole words.
      const length = Math.ceil(((number + 1) * 1.125) / 32) * 32;
      const longer = new (this.#values.constructor as Uint16ArrayConstructor)(length);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[number] = code;
  }

  /** Finds the companies below `count` whose text equals `wanted`, or passes the test `wanted`. */
  find(count: number, wanted: string | ((text: string) => boolean)): Bits {
    const bits = makeBits(count);
    const values = this.#values;
    const accepted = new Uint8Array(this.#codes.size + 1);
    if (typeof wanted !== 'string') {
      for (const [text, code] of this.#codes) accepted[code] = wanted(text) ? 1 : 0;
    } else if (this.#codes.has(wanted)) accepted[this.#codes.get(wanted)!] = 1;
    for (let at = 0, number = 0; at < bits.length; at += 1) {
      let word = 0;
      for (let bit = 0; bit < 32; bit += 1, number += 1) word |= accepted[values[number]!]! << bit;
      bits[at] = word;
    }
    return bits;
  }

  #codeOf(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = this.#codes.size + 1;
    // A copy: a substring would keep the whole string in memory.
    this.#codes.set(Buffer.from(text).toString(), code);
    // The first code that does not fit into two bytes.
    if (code === 2 ** 16) this.#values = Uint32Array.from(this.#values);
    return code;
  }
}
