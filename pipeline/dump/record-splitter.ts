import { figure } from '../written-figure.ts';
import type { Separator } from '../sources/source.ts';
import type { LineMemory, Span } from './line-memory.ts';
import { RECORD_BYTES, RecordScanner } from './record-scanner.ts';

const LINE_FEED = 10;
const RETURN = 13;
const QUOTE = 34;
/** The size of a piece of a chunk, in bytes: the rest of the previous piece fits beside it in the area. */
const PIECE_BYTES = 128 * 1024;

/** Receives the records that a `RecordSplitter` finds. `data` is only valid during the call. */
export interface RecordHandler {
  /**
   * Takes the lines from data[start] on, the first with the number `line`, up to a line that needs a parser. The
   * splitter hands that line to `record`. Returns undefined before the header is read.
   */
  passLines?(
    data: Buffer,
    start: number,
    line: number,
  ): { end: number; feed_count: number } | undefined;
  /**
   * Takes one record, without its line end. `scanned` is present for a record with quotes.
   *
   * @returns false when a record of several lines does not parse; reading resumes at its second line
   */
  record(span: Span, scanned: RecordScanner | undefined): boolean;
  /** Takes one line that cannot be the beginning of a record, and the reason. */
  reject(span: Span, reason: string): void;
}

/**
 * Splits bytes into records by RFC 4180 with any line ends. A quote that never closes, or closes in
 * the middle of a field, costs only its own line.
 */
export class RecordSplitter {
  readonly #handler: RecordHandler;
  readonly #area: Buffer;
  readonly #scanner: RecordScanner;
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;
  /** Whether bytes are dropped up to the end of a line that is too long. */
  #isSkipping = false;

  /** @param memory has the area into which the bytes are copied */
  constructor(handler: RecordHandler, { area }: LineMemory, separator: Separator = ';') {
    this.#handler = handler;
    this.#area = area;
    this.#scanner = new RecordScanner(separator);
  }

  /** Returns the number of the next line, from 1. */
  get line(): number {
    return this.#line;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const data = this.#load(chunk.subarray(at, at + PIECE_BYTES));
      // Copies the unused bytes, since other readers overwrite the shared area.
      this.#rest = Buffer.from(data.subarray(this.#split(data, false)));
    }
  }

  /** Splits the remaining bytes. The last line needs no line end. */
  end(): void {
    this.#split(this.#load(Buffer.alloc(0)), true);
    this.#rest = Buffer.alloc(0);
  }

  /** Copies the rest of the previous piece and a new piece into the area. */
  #load(piece: Buffer): Buffer {
    const length = this.#rest.copy(this.#area);
    return this.#area.subarray(0, length + piece.copy(this.#area, length));
  }

  /** Splits bytes into records. @returns the number of bytes that were used up */
  #split(data: Buffer, isLast: boolean): number {
    let at = 0;
    let quote = data.indexOf(QUOTE);
    while (at < data.length) {
      const passed = this.#isSkipping ? undefined : this.#handler.passLines?.(data, at, this.#line);
      if (passed) {
        this.#line += passed.feed_count;
        at = passed.end;
        if (at === data.length) break;
      }
      const feed = data.indexOf(LINE_FEED, at);
      const stop = feed < 0 ? data.length : feed;
      if (this.#isSkipping) {
        if (feed < 0) return data.length;
        this.#isSkipping = false;
        this.#line++;
        at = feed + 1;
        continue;
      }
      if (stop - at > RECORD_BYTES) {
        const begin = { data, start: at, end: at + RECORD_BYTES, line: this.#line };
        this.#handler.reject(begin, tooLong);
        this.#isSkipping = true;
        continue;
      }
      if (feed < 0 && !isLast) return at;
      if (quote >= 0 && quote < at) quote = data.indexOf(QUOTE, at);
      if (quote < 0 || quote >= stop) {
        const end = trimEnd(data, at, stop);
        this.#handler.record({ data, start: at, end, line: this.#line }, undefined);
        this.#line++;
        at = stop + 1;
        continue;
      }
      const next = this.#quotedRecord(data, at, stop, isLast);
      if (next < 0) return at;
      at = next;
    }
    return data.length;
  }

  /** Splits off a record with quotes. @returns the index of the next record, or -1 when more bytes are needed */
  #quotedRecord(data: Buffer, start: number, lineEnd: number, isLast: boolean): number {
    const scanned = this.#scanner;
    const fault = scanned.scan(data, start, Math.min(data.length, start + RECORD_BYTES + 2));
    if (fault === 'open quote' && !isLast && data.length - start <= RECORD_BYTES) return -1;
    if (fault || scanned.end - start > RECORD_BYTES) {
      // A quoted field may close beyond the longest record.
      const isLonger = fault === 'open quote' && data.indexOf(QUOTE, start + RECORD_BYTES + 2) >= 0;
      const reason = fault && !isLonger ? reasons[fault] : tooLong;
      const end = trimEnd(data, start, lineEnd);
      this.#handler.reject({ data, start, end, line: this.#line }, reason);
    } else {
      const { end, line_feed } = scanned;
      // Only the next bytes decide whether a record ends at the end of the data.
      if (line_feed >= data.length && !isLast) return -1;
      if (this.#handler.record({ data, start, end, line: this.#line }, scanned)) {
        this.#line += scanned.feed_count + 1;
        return line_feed + 1;
      }
    }
    this.#line++;
    return lineEnd + 1;
  }
}

const tooLong = `longer than ${figure(RECORD_BYTES)} bytes`;
const reasons = {
  'open quote': 'a quote that never closes',
  'stray quote': 'a closing quote that is not followed by a separator',
};

function trimEnd(data: Buffer, start: number, end: number): number {
  return end > start && data[end - 1] === RETURN ? end - 1 : end;
}
