import { readFileSync } from 'node:fs';

/** The exports of wasm/lines.ts. An address is a byte offset in the WebAssembly memory, which begins with `area`. */
interface LineCode {
  feeds: WebAssembly.Global;
  known: WebAssembly.Global;
  listed: WebAssembly.Global;
  newest_day: WebAssembly.Global;
  reserve(at: number, home_count: number, slot_count: number): void;
  hash(at: number, end: number, seed: bigint): bigint;
  afterNumber(start: number, end: number): number;
  learn(at: number, end: number): number;
  meet(print: bigint): number;
  meetHalves(high: number, low: number): number;
  noteDay(start: number, end: number): void;
  missing(from: number, out: number, out_end: number): number;
  scan(
    at: number,
    end: number,
    bound: number,
    seed: bigint,
    skips_number: number,
    out: number,
    out_end: number,
  ): number;
  layOut(kinds: number, column_count: number, separator: number, key_digits: number): void;
  rows(at: number, end: number, bound: number, seed: bigint, out: number, out_end: number): number;
}

/** The result of a pass over lines. Record n is listed at `words[6 * n]`: four words, and a fingerprint of two. */
export interface PassedLines {
  /** The offset of the first line that was not passed. */
  end: number;
  feed_count: number;
  /** The number of known records after the last listed record. */
  known_count: number;
  listed_count: number;
}

const PAGE_BYTES = 64 * 1024;
const AREA_BYTES = 4 * PAGE_BYTES;
const LIST_BYTES = PAGE_BYTES;
export const RECORD_WORDS = 6;
const LIST_END = AREA_BYTES + LIST_BYTES - (LIST_BYTES % (4 * RECORD_WORDS));

const code = new WebAssembly.Module(readFileSync(new URL('wasm/lines.wasm', import.meta.url)));

/** Holds a WebAssembly memory and its code. The memory has an area for lines, a list for results, and a table. */
export class LineMemory {
  /** The bytes that can be fingerprinted or passed. */
  readonly area: Buffer;
  /** The list for results as 32-bit words; `longs` is the same list as numbers of eight bytes. */
  readonly words: Uint32Array;
  readonly longs: BigInt64Array;
  readonly code: LineCode;
  readonly table_at = AREA_BYTES + LIST_BYTES;

  constructor(table_bytes = 0) {
    // A pass reads up to 15 bytes beyond the end of the data.
    const bytes = AREA_BYTES + LIST_BYTES + table_bytes + 16;
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    this.code = new WebAssembly.Instance(code, { env: { memory } }).exports as LineCode;
    this.area = Buffer.from(memory.buffer, 0, AREA_BYTES);
    this.words = new Uint32Array(memory.buffer, AREA_BYTES, LIST_BYTES / 4);
    this.longs = new BigInt64Array(memory.buffer, AREA_BYTES, LIST_BYTES / 8);
  }

  /** Returns the fingerprint of a text of at most 64 kB, for use as a seed. Leaves `area` unchanged. */
  fingerprintOf(text: string): bigint {
    const length = Buffer.from(this.area.buffer, AREA_BYTES, LIST_BYTES).write(text);
    return this.code.hash(AREA_BYTES, AREA_BYTES + length, 0n);
  }

  /** Runs a pass over lines, which fills the list for results. @returns the end of the pass and its counts */
  pass(run: (out: number, out_end: number) => number): PassedLines {
    const end = run(AREA_BYTES, LIST_END);
    const { feeds, known, listed } = this.code;
    return {
      end,
      feed_count: feeds.value as number,
      known_count: known.value as number,
      listed_count: ((listed.value as number) - AREA_BYTES) / (4 * RECORD_WORDS),
    };
  }

  /** Runs code that lists numbers of eight bytes. @returns the listed numbers, valid until the next call */
  list(run: (out: number, out_end: number) => void): BigInt64Array {
    run(AREA_BYTES, AREA_BYTES + LIST_BYTES);
    return this.longs.subarray(0, ((this.code.listed.value as number) - AREA_BYTES) / 8);
  }
}
