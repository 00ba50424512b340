import { readFileSync } from 'node:fs';

/** The exports of wasm/lines.ts. Addresses are byte offsets in the WebAssembly memory, whose first bytes are `area`. */
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
  quotedRow(start: number, end: number, seed: bigint, out: number): number;
}

/** The bytes data[start, end) of a file, which begin on line `line` of the file, counted from 1. */
export interface Span {
  data: Buffer;
  start: number;
  end: number;
  line: number;
}

/** A fingerprint as two signed 32-bit numbers; a bigint for each line would take a sixth of a night's time. */
export interface Halves {
  high: number;
  low: number;
}

/** A line (or a record) that `LineMemory.pass` returns, with its fingerprint. */
export interface ListedLine extends Span, Halves {
  /** The number of unchanged records since the previous listed record; for a row of a joined table, the row's key. */
  number: number;
}

/** Joins the two halves of a fingerprint into a signed 64-bit number. */
export function joinHalves({ high, low }: Halves): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** The result of `LineMemory.pass`. */
export interface PassedLines {
  /** The offset in `data` of the first line that the pass did not process. */
  end: number;
  feed_count: number;
  /** The number of unchanged records after the last listed record. */
  known_count: number;
  listed: ListedLine[];
}

const PAGE_BYTES = 64 * 1024;
const AREA_BYTES = 4 * PAGE_BYTES;
const LIST_BYTES = PAGE_BYTES;
/** The number of 32-bit words per listed line: number, start, end, preceding line feeds, and fingerprint (two). */
const LISTED_WORDS = 6;
const LIST_END = AREA_BYTES + LIST_BYTES - (LIST_BYTES % (4 * LISTED_WORDS));

const code = new WebAssembly.Module(readFileSync(new URL('wasm/lines.wasm', import.meta.url)));

/** Holds WebAssembly code and the code's memory: an area for lines, a list of results, and a table. */
export class LineMemory {
  /** The memory area into which bytes are copied before the WebAssembly code reads or fingerprints the bytes. */
  readonly area: Buffer;
  readonly code: LineCode;
  readonly table_at = AREA_BYTES + LIST_BYTES;
  /** The list of results of a pass, as 32-bit words. */
  readonly #words: Int32Array;

  constructor(table_bytes = 0) {
    // The memory ends with 16 spare bytes, because a pass reads up to 15 bytes beyond the end of the data.
    const bytes = AREA_BYTES + LIST_BYTES + table_bytes + 16;
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    this.code = new WebAssembly.Instance(code, { env: { memory } }).exports as LineCode;
    this.area = Buffer.from(memory.buffer, 0, AREA_BYTES);
    this.#words = new Int32Array(memory.buffer, AREA_BYTES, LIST_BYTES / 4);
  }

  /** Returns the fingerprint of a text of at most 64 kB, for use as a seed. Leaves `area` unchanged. */
  fingerprintOf(text: string): bigint {
    const length = Buffer.from(this.area.buffer, AREA_BYTES, LIST_BYTES).write(text);
    return this.code.hash(AREA_BYTES, AREA_BYTES + length, 0n);
  }

  /** Runs `run`, WebAssembly code that processes the lines of `data`; the first is line number `line` of the file. */
  pass(data: Buffer, line: number, run: (out: number, out_end: number) => number): PassedLines {
    const end = run(AREA_BYTES, LIST_END);
    const { feeds, known } = this.code;
    const listed: ListedLine[] = [];
    const words = this.#words;
    const count = this.#listedBytes / 4;
    for (let at = 0; at < count; at += LISTED_WORDS) {
      listed.push({
        number: words[at]!,
        data,
        start: words[at + 1]!,
        end: words[at + 2]!,
        line: line + words[at + 3]!,
        low: words[at + 4]!,
        high: words[at + 5]!,
      });
    }
    return {
      end,
      feed_count: feeds.value as number,
      known_count: known.value as number,
      listed,
    };
  }

  /** Runs WebAssembly code that lists 64-bit numbers. @returns these numbers, which the next call overwrites */
  list(run: (out: number, out_end: number) => void): BigInt64Array {
    run(AREA_BYTES, AREA_BYTES + LIST_BYTES);
    return new BigInt64Array(this.#words.buffer, AREA_BYTES, this.#listedBytes / 8);
  }

  /** Returns the length of the list of results, in bytes. */
  get #listedBytes(): number {
    return (this.code.listed.value as number) - AREA_BYTES;
  }
}
