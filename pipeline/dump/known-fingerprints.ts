import { LineMemory, type PassedLines } from './line-memory.ts';
import { RECORD_BYTES } from './record-scanner.ts';

/** The inputs of a fingerprint beside the bytes of a record; all records of a file share them. */
export interface FingerprintContext {
  seed: bigint;
  /** Whether the fingerprint skips the digits of the first field, a row number, and its separator. */
  skipsNumber: boolean;
}

const PRINT_BYTES = 8;
/** The preferred slots (homes) per entry. Nine of ten homes are in use, so an entry takes nine bytes of memory. */
const HOMES_PER_ENTRY = 10 / 9;
const MOST_TAKEN = 0.95;
/** The number of slots after the last home. With 0.95 of the homes taken, one table in 10^40 needs more slots. */
const SLACK = 1024;

/**
 * Holds the fingerprints of yesterday's entries in an ordered hash table (Amble and Knuth, 1974). The code that
 * finds and looks up the records of a file (wasm/lines.ts) shares the memory of the table.
 */
export class KnownFingerprints {
  readonly memory: LineMemory;
  readonly #homes: number;
  #learnt = 0;

  /** @param count the number of fingerprints that will be added; a few more still fit */
  constructor(count = 0) {
    this.#homes = Math.ceil(count * HOMES_PER_ENTRY) + 16;
    const slots = this.#homes + SLACK;
    this.memory = new LineMemory(slots * PRINT_BYTES + Math.ceil(slots / 8));
    this.memory.code.reserve(this.memory.table_at, this.#homes, slots);
  }

  /** Adds big-endian fingerprints to the table. @returns false when the table has no room for them */
  learn(prints: Buffer): boolean {
    this.#learnt += prints.length / PRINT_BYTES;
    if (this.#learnt > this.#homes * MOST_TAKEN) return false;
    const { area, code } = this.memory;
    for (let at = 0; at < prints.length; at += area.length) {
      if (!code.learn(0, prints.copy(area, 0, at))) return false;
    }
    return true;
  }

  /** Returns the fingerprint of area[start, end): 64 bits, signed, never 0. */
  fingerprint(start: number, end: number, { seed, skipsNumber }: FingerprintContext): bigint {
    const { code } = this.memory;
    return code.hash(skipsNumber ? code.afterNumber(start, end) : start, end, seed);
  }

  /** Marks a fingerprint as met. @returns whether to skip its record: known, of one entry only, not met before */
  meet(fingerprint: bigint): boolean {
    return this.memory.code.meet(fingerprint) !== 0;
  }

  /**
   * Marks the known records of `data` from `start` (on line `line`) as met, and lists the unknown ones. Stops at a
   * record that is longer than `RECORD_BYTES`, has no end, or is unknown and has quotes.
   */
  pass(data: Buffer, start: number, line: number, context: FingerprintContext): PassedLines {
    const { code } = this.memory;
    const { seed, skipsNumber } = context;
    return this.memory.pass(data, line, (out, out_end) =>
      code.scan(start, data.length, RECORD_BYTES, seed, Number(skipsNumber), out, out_end),
    );
  }

  /** Yields in batches the fingerprints that no record of today has, and those that several entries share. */
  *missing(): Generator<BigInt64Array> {
    const { memory } = this;
    for (let slot = 0; slot < this.#homes + SLACK;) {
      yield memory.list((out, out_end) => (slot = memory.code.missing(slot, out, out_end)));
    }
  }
}
