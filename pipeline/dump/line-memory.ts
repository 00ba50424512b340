import { readFileSync } from 'node:fs';

/** The functions of wasm/lines.ts. Places are offsets in the memory, which `area` begins. */
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
  layOut(
    kept: number,
    column_count: number,
    separator: number,
    key: number,
    key_digits: number,
    touched: number,
  ): void;
  rows(at: number, end: number, bound: number, seed: bigint, out: number, out_end: number): number;
}

/** What a pass over lines has listed: five words and a fingerprint for each record, at `words[6 * n]`. */
export interface PassedLines {
  /** Where the first line begins that was not passed. */
  end: number;
  feed_count: number;
  /** Known records after the last one that is listed. */
  known_count: number;
  listed_count: number;
}

const PAGE_BYTES = 64 * 1024;
const AREA_BYTES = 4 * PAGE_BYTES;
const LIST_BYTES = PAGE_BYTES;
export const RECORD_WORDS = 6;
const LIST_END = AREA_BYTES + LIST_BYTES - (LIST_BYTES % (4 * RECORD_WORDS));

const code = new WebAssembly.Module(readFileSync(new URL('wasm/lines.wasm', import.meta.url)));

/** A memory of WebAssembly with its code: an area for lines, a list for what is found, and a table. */
export class LineMemory {
  /** Where bytes must lie to be fingerprinted or passed. */
  readonly area: Buffer;
  /** The list, as words, and as numbers of eight bytes. */
  readonly words: Uint32Array;
  readonly longs: BigInt64Array;
  readonly code: LineCode;
  readonly table_at = AREA_BYTES + LIST_BYTES;

  constructor(table_bytes = 0) {
    // A pass reads up to 15 bytes more than there are.
    const bytes = AREA_BYTES + LIST_BYTES + table_bytes + 16;
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    this.code = new WebAssembly.Instance(code, { env: { memory } }).exports as LineCode;
    this.area = Buffer.from(memory.buffer, 0, AREA_BYTES);
    this.words = new Uint32Array(memory.buffer, AREA_BYTES, LIST_BYTES / 4);
    this.longs = new BigInt64Array(memory.buffer, AREA_BYTES, LIST_BYTES / 8);
  }

  /** The fingerprint of a text, for seeds. It leaves `area` as it is. */
  fingerprintOf(text: string): bigint {
    const room = Buffer.from(this.area.buffer, AREA_BYTES, LIST_BYTES);
    const bytes = Buffer.from(text);
    let seed = 0n;
    for (let at = 0; at < bytes.length; at += LIST_BYTES) {
      seed = this.code.hash(AREA_BYTES, AREA_BYTES + bytes.copy(room, 0, at), seed);
    }
    return seed;
  }

  /** Runs a pass over lines that writes its list to the given place. */
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

  /** Lists numbers of eight bytes. @returns what was listed, valid until the next call */
  list(run: (out: number, out_end: number) => void): BigInt64Array {
    run(AREA_BYTES, AREA_BYTES + LIST_BYTES);
    return this.longs.subarray(0, ((this.code.listed.value as number) - AREA_BYTES) / 8);
  }
}
