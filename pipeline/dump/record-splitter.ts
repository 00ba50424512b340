import { figure } from '../written-figure.ts';
import type { Separator } from '../sources/source.ts';
import type { LineMemory, Span } from './line-memory.ts';
import { RECORD_BYTES, RecordScanner } from './record-scanner.ts';

const LINE_FEED = 10;
const RETURN = 13;
const QUOTE = 34;
/** The size, in bytes, of the pieces of a chunk. The area holds a piece and the unread end of the previous piece. */
const PIECE_BYTES = 128 * 1024;

/** Receives the records that a `RecordSplitter` finds. The splitter overwrites the bytes `data` after each call. */
export interface RecordHandler {
  /**
   * Takes lines from data[start] on, which is on line `line` of the file, up to the first line that needs a parser; the
   * splitter passes that line to `record`. Returns undefined before the header is read.
   */
  passLines?(
    data: Buffer,
    start: number,
    line: number,
  ): { end: number; feed_count: number } | undefined;
  /**
   * Takes one record, without its line end. `scanned` is the scanner's result for a record with quotes, else undefined.
   *
   * @returns false for an invalid record of several lines; the splitter then reads on at the record's second line
   */
  record(span: Span, scanned: RecordScanner | undefined): boolean;
  /** Takes a line at which no record can begin, and the reason why. */
  reject(span: Span, reason: string): void;
}

/**
 * Splits bytes into CSV records (RFC 4180), which end with LF or CRLF. If a quote never closes, or closes in the middle
 * of a field, only the line of this quote is unreadable. record-scanner.ts decides which quotes open and close a field.
 */
export class RecordSplitter {
  readonly #handler: RecordHandler;
  readonly #area: Buffer;
  readonly #scanner: RecordScanner;
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;
  /** Whether the splitter is skipping the rest of a line that is too long. */
  #isSkipping = false;

  /** @param memory the memory whose `area` receives the bytes of the file */
  constructor(handler: RecordHandler, { area }: LineMemory, separator: Separator = ';') {
    this.#handler = handler;
    this.#area = area;
    this.#scanner = new RecordScanner(separator);
  }

  /** Returns the number of the next line, counted from 1. */
  get line(): number {
    return this.#line;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const data = this.#load(chunk.subarray(at, at + PIECE_BYTES));
      // The unread bytes are copied, since other files' readers overwrite the memory area, which they share.
      this.#rest = Buffer.from(data.subarray(this.#split(data, false)));
    }
  }

  /** Splits the bytes that remain at the end of the file. */
  end(): void {
    this.#split(this.#load(Buffer.alloc(0)), true);
    this.#rest = Buffer.alloc(0);
  }

  /** Copies the unread end of the previous piece, then `piece`, into the memory area. @returns these bytes */
  #load(piece: Buffer): Buffer {
    const length = this.#rest.copy(this.#area);
    return this.#area.subarray(0, length + piece.copy(this.#area, length));
  }

  /** Splits `data` into records. @returns the number of bytes read; the bytes that follow are an incomplete record */
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

  /** Takes the record with quotes at data[start]. @returns the next record's index; -1 if the record is incomplete */
  #quotedRecord(data: Buffer, start: number, lineEnd: number, isLast: boolean): number {
    const scanned = this.#scanner;
    const fault = scanned.scan(data, start, Math.min(data.length, start + RECORD_BYTES + 2));
    if (fault === 'open quote' && !isLast && data.length - start <= RECORD_BYTES) return -1;
    if (fault || scanned.end - start > RECORD_BYTES) {
      // If the open quote closes beyond the maximum length, the record is too long, else the quote never closes.
      const isLonger = fault === 'open quote' && data.indexOf(QUOTE, start + RECORD_BYTES + 2) >= 0;
      const reason = fault && !isLonger ? reasons[fault] : tooLong;
      const end = trimEnd(data, start, lineEnd);
      this.#handler.reject({ data, start, end, line: this.#line }, reason);
    } else {
      const { end, line_feed } = scanned;
      // If the record ends with `data`, only the following bytes show whether the record continues.
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
