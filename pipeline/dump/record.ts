const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const SEPARATOR = 59;

/** A record may have this many bytes; a longer one is rejected, line by line. */
export const RECORD_BYTES = 32 * 1024;

/** What the splitter hands out; `data` is only valid during the call. */
export interface RecordHandler {
  /**
   * One record, data[start, end) without its line end, on `line` (the first line of the file is 1).
   *
   * @param quoted whether a field of it is quoted, so that only a parser can tell its fields
   * @returns false when the record does not parse; a record of several lines is then given up after
   *   its first line, and reading resumes at the second
   */
  record(data: Buffer, start: number, end: number, line: number, quoted: boolean): boolean;
  /** One line, data[start, end), that cannot be the beginning of a record. */
  reject(data: Buffer, start: number, end: number, line: number, reason: string): void;
}

/**
 * Splits bytes into records by RFC 4180 with `;`: a line break inside a quoted field does not end a
 * record, and a quote opens a field only at its start. Line ends may be LF, CRLF or mixed.
 * A quote that never closes costs its own line and no other: past `RECORD_BYTES`, at the end of the
 * file, or where a closing quote is followed by anything but a separator, the first line is
 * rejected and reading resumes at the next one.
 */
export class RecordSplitter {
  readonly #handler: RecordHandler;
  #rest: Buffer | undefined;
  #line = 1;
  /** Inside a line that is longer than a record may be: drop bytes up to its end. */
  #isSkipping = false;

  constructor(handler: RecordHandler) {
    this.#handler = handler;
  }

  /** The number of the line that comes next. */
  get line(): number {
    return this.#line;
  }

  write(chunk: Buffer): void {
    let data = chunk;
    // What is left of the last chunk is joined with a line of this one, not with all of it.
    while (this.#rest && data.length > 0) {
      const lineEnd = data.indexOf(LINE_FEED) + 1 || data.length;
      const joined = Buffer.concat([this.#rest, data.subarray(0, lineEnd)]);
      data = data.subarray(lineEnd);
      this.#keep(joined, this.#split(joined, false));
    }
    if (data.length > 0) this.#keep(data, this.#split(data, false));
  }

  /** Keeps what was not used, in a copy, so that the chunk can go. */
  #keep(data: Buffer, used: number): void {
    this.#rest = used < data.length ? Buffer.from(data.subarray(used)) : undefined;
  }

  /** Hands out what is left; a file need not end with a line end. */
  end(): void {
    const data = this.#rest;
    this.#rest = undefined;
    if (data) this.#split(data, true);
  }

  /** @returns how many bytes were used up */
  #split(data: Buffer, isLast: boolean): number {
    let at = 0;
    let quote = data.indexOf(QUOTE);
    while (at < data.length) {
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
        this.#handler.reject(data, at, at + RECORD_BYTES, this.#line, tooLong);
        this.#isSkipping = true;
        continue;
      }
      if (feed < 0 && !isLast) return at;
      if (quote >= 0 && quote < at) quote = data.indexOf(QUOTE, at);
      if (quote < 0 || quote >= stop) {
        this.#handler.record(data, at, trimEnd(data, at, stop), this.#line, false);
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

  /** @returns where the next record begins, or -1 when more bytes are needed */
  #quotedRecord(data: Buffer, start: number, lineEnd: number, isLast: boolean): number {
    const end = recordEnd(data, start);
    if (end === undefined && !isLast && data.length - start <= RECORD_BYTES) return -1;
    if (end === undefined || end < 0 || end - start > RECORD_BYTES) {
      const reason = end === undefined ? neverCloses : end < 0 ? strayQuote : tooLong;
      this.#handler.reject(data, start, trimEnd(data, start, lineEnd), this.#line, reason);
    } else {
      // Only the bytes that follow tell whether the record ends here.
      if (end === data.length && !isLast) return -1;
      const isRead = this.#handler.record(data, start, trimEnd(data, start, end), this.#line, true);
      if (isRead) {
        for (let at = lineEnd; at >= 0 && at <= end; at = data.indexOf(LINE_FEED, at + 1)) {
          this.#line++;
          if (at === end) break;
        }
        return end + 1;
      }
    }
    this.#line++;
    return lineEnd + 1;
  }
}

const tooLong = `longer than ${RECORD_BYTES} bytes`;
const neverCloses = 'a quote that never closes';
const strayQuote = 'a closing quote that is not followed by a separator';

/**
 * Where the record that begins at `start` ends: the index of its line feed or the end of the data;
 * undefined when a quoted field is still open there, -1 when a quote closes in the middle of a field.
 */
function recordEnd(data: Buffer, start: number): number | undefined {
  let at = start;
  for (;;) {
    if (data[at] === QUOTE) {
      let close = data.indexOf(QUOTE, at + 1);
      while (close >= 0 && data[close + 1] === QUOTE) close = data.indexOf(QUOTE, close + 2);
      if (close < 0) return undefined;
      at = close + 1;
      if (data[at] === CARRIAGE_RETURN && (at + 1 === data.length || data[at + 1] === LINE_FEED)) {
        at++;
      }
      if (at < data.length && data[at] !== SEPARATOR && data[at] !== LINE_FEED) return -1;
    } else {
      while (at < data.length && data[at] !== SEPARATOR && data[at] !== LINE_FEED) at++;
    }
    if (at >= data.length || data[at] === LINE_FEED) return Math.min(at, data.length);
    at++;
  }
}

function trimEnd(data: Buffer, start: number, end: number): number {
  return end > start && data[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}
