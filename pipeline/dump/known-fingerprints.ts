import { LineMemory, type PassedLines } from './line-memory.ts';
import { RECORD_BYTES } from './record-scanner.ts';

/** The inputs of a fingerprint besides the bytes of a record. All records of a file share the same seed. */
export interface FingerprintContext {
  /** The seed that `begin` of file-reader.ts or join/row-reader.ts makes from the header and the mapping's version. */
  seed: bigint;
  /** Whether the fingerprint ignores the first field, which is a row number, and the separator after it. */
  skipsNumber: boolean;
}

const PRINT_BYTES = 8;
/** The number of preferred slots (homes) per entry: since one of ten homes is free, an entry takes nine bytes. */
const HOMES_PER_ENTRY = 10 / 9;
const MOST_TAKEN = 0.95;
/** The number of spare slots after the last home. If 95 % of homes are in use, one table in 10^40 needs more. */
const SLACK = 1024;

/**
 * Holds the fingerprints of yesterday's entries in an ordered hash table (Amble and Knuth, 1974). The table lies in the
 * memory of the WebAssembly code (wasm/lines.ts) that looks up the records of a file.
 */
export class KnownFingerprints {
  readonly memory: LineMemory;
  readonly #homes: number;
  #learnt = 0;

  /** @param count the expected number of fingerprints; the table has room for about 5 per cent more */
  constructor(count = 0) {
    this.#homes = Math.ceil(count * HOMES_PER_ENTRY) + 16;
    const slots = this.#homes + SLACK;
    this.memory = new LineMemory(slots * PRINT_BYTES + Math.ceil(slots / 8));
    this.memory.code.reserve(this.memory.table_at, this.#homes, slots);
  }

  /** Adds fingerprints (eight bytes each, big-endian) to the table. @returns false when the table is too small */
  learn(prints: Buffer): boolean {
    this.#learnt += prints.length / PRINT_BYTES;
    if (this.#learnt > this.#homes * MOST_TAKEN) return false;
    const { area, code } = this.memory;
    for (let at = 0; at < prints.length; at += area.length) {
      if (!code.learn(0, prints.copy(area, 0, at))) return false;
    }
    return true;
  }

  /** Returns the fingerprint of the bytes area[start, end) as a signed 64-bit number, which is never 0. */
  fingerprint(start: number, end: number, { seed, skipsNumber }: FingerprintContext): bigint {
    const { code } = this.memory;
    return code.hash(skipsNumber ? code.afterNumber(start, end) : start, end, seed);
  }

  /** Marks a fingerprint as found in today's dump. @returns true if one entry has it and it was unmarked */
  meet(fingerprint: bigint): boolean {
    return this.memory.code.meet(fingerprint) !== 0;
  }

  /**
   * Reads the records of `data` from the index `start`, on line `line`. Marks unchanged records as found, and lists new
   * and changed records. Stops at a record that exceeds `RECORD_BYTES`, has no end, or is changed and has quotes.
   */
  pass(data: Buffer, start: number, line: number, context: FingerprintContext): PassedLines {
    const { code } = this.memory;
    const { seed, skipsNumber } = context;
    return this.memory.pass(data, line, (out, out_end) =>
      code.scan(start, data.length, RECORD_BYTES, seed, Number(skipsNumber), out, out_end),
    );
  }

  /** Yields, in batches, fingerprints that no record of today has, and fingerprints that several entries share. */
  *missing(): Generator<BigInt64Array> {
    const { memory } = this;
    for (let slot = 0; slot < this.#homes + SLACK;) {
      yield memory.list((out, out_end) => (slot = memory.code.missing(slot, out, out_end)));
    }
  }
}
