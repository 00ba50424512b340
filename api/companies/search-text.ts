import { makeBits, type Bits } from './search-bits.ts';

/** One text per company, as a number that stands for the text: of one byte while a byte serves. */
export class TextColumn {
  /** The numbers of the texts; 0 stands for none. */
  readonly #codes = new Map<string, number>();
  #values: Uint8Array | Uint16Array | Uint32Array = new Uint8Array(32);

  set(number: number, text: string | null): void {
    const code = text === null ? 0 : this.#codeOf(text);
    if (number >= this.#values.length) this.#lengthen(number + 1);
    this.#values[number] = code;
  }

  /** The companies below `count` that have a text, or one that is accepted. */
  find(count: number, wanted: string | ((text: string) => boolean)): Bits {
    const accepted = new Uint8Array(this.#codes.size + 1);
    if (typeof wanted === 'string') accepted[this.#codes.get(wanted) ?? 0] = 1;
    else for (const [text, code] of this.#codes) accepted[code] = wanted(text) ? 1 : 0;
    accepted[0] = 0;
    const bits = makeBits(count);
    const values = this.#values;
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
    // A copy: a part of a string would keep the whole in memory.
    this.#codes.set(Buffer.from(text).toString(), code);
    if (code === 2 ** 8) this.#values = Uint16Array.from(this.#values);
    if (code === 2 ** 16) this.#values = Uint32Array.from(this.#values);
    return code;
  }

  // A multiple of 32 values, so that a scan reads whole words.
  #lengthen(least: number): void {
    const length = Math.ceil((least * 1.125) / 32) * 32;
    const longer = new (this.#values.constructor as Uint8ArrayConstructor)(length);
    longer.set(this.#values);
    this.#values = longer;
  }
}
