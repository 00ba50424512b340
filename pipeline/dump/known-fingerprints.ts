import { LineMemory, type PassedLines } from './line-memory.ts';

/** What a record says: its bytes without a row number, after the seed of its file. */
export interface FingerprintContext {
  seed: bigint;
  /** Whether the digits of the first field, and its separator, are no data. */
  skipsNumber: boolean;
}

/** A fingerprint as two signed numbers of 32 bits: sums of it are cheap. */
export interface Halves {
  high: number;
  low: number;
}

const PRINT_BYTES = 8;
/** Nine of ten homes are taken where the count is right: an entry costs nine bytes of memory. */
const HOMES_PER_ENTRY = 10 / 9;
const MOST_TAKEN = 0.95;
/** The slots after the last home. With 0.95 taken, more are wanted once in 10^40 tables. */
const SLACK = 1024;

/**
 * The fingerprints of yesterday's entries: an ordered hash table (Amble and Knuth, 1974) beside the code that
 * finds and looks up the records of a file (wasm/lines.ts).
 */
export class KnownFingerprints {
  readonly memory: LineMemory;
  readonly #homes: number;
  #learnt = 0;

  /** @param count how many fingerprints will be learnt, or a few less */
  constructor(count = 0) {
    this.#homes = Math.ceil(count * HOMES_PER_ENTRY) + 16;
    const slots = this.#homes + SLACK;
    this.memory = new LineMemory(slots * PRINT_BYTES + Math.ceil(slots / 8));
    this.memory.code.reserve(this.memory.table_at, this.#homes, slots);
  }

  /** Learns big-endian fingerprints. @returns false when there is no room for them */
  learn(prints: Buffer): boolean {
    this.#learnt += prints.length / PRINT_BYTES;
    if (this.#learnt > this.#homes * MOST_TAKEN) return false;
    const { area, code } = this.memory;
    for (let at = 0; at < prints.length; at += area.length) {
      if (!code.learn(0, prints.copy(area, 0, at))) return false;
    }
    return true;
  }

  /** The fingerprint of area[start, end): 64 bits, signed, never 0. */
  fingerprint(start: number, end: number, { seed, skipsNumber }: FingerprintContext): bigint {
    const { code } = this.memory;
    return code.hash(skipsNumber ? code.afterNumber(start, end) : start, end, seed);
  }

  /** Marks a record as met. @returns whether to skip it: it is known, not shared, and met once */
  meet(fingerprint: bigint): boolean {
    return this.memory.code.meet(fingerprint) !== 0;
  }

  /** `meet`, by the signed halves of a fingerprint. */
  meetHalves({ high, low }: Halves): boolean {
    return this.memory.code.meetHalves(high, low) !== 0;
  }

  /**
   * Meets the records of area[start, end), up to the first that is longer than `bound`, has no end, or has
   * quotes and is not known. Lists each other unknown one: known records since the one before, start, end,
   * line feeds before it, and its fingerprint.
   */
  pass(start: number, end: number, bound: number, context: FingerprintContext): PassedLines {
    const { memory } = this;
    const skips = Number(context.skipsNumber);
    return memory.pass((out, out_end) =>
      memory.code.scan(start, end, bound, context.seed, skips, out, out_end),
    );
  }

  /** Lists the fingerprints whose record was not met today, also the shared ones, in batches. */
  *missing(): Generator<BigInt64Array> {
    const { memory } = this;
    for (let slot = 0; slot < this.#homes + SLACK;) {
      yield memory.list((out, out_end) => (slot = memory.code.missing(slot, out, out_end)));
    }
  }
}
