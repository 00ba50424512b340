import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import type { ParquetParsers } from 'hyparquet';

/** Texts in one array of bytes: text n is bytes[starts[n], ends[n]). */
export interface Texts {
  bytes: Uint8Array;
  starts: Uint32Array;
  ends: Uint32Array;
  count: number;
}

/** Finds at most `most` texts of a page, which follow one another from `from` on, each after its length. */
export function findTexts(bytes: Uint8Array, from: number, most: number): Texts {
  const [starts, ends] = [new Uint32Array(most), new Uint32Array(most)];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = from; at < bytes.length && count < most; count += 1) {
    starts[count] = at + 4;
    at += 4 + view.getUint32(at, true);
    if (at > bytes.length) throw new Error('a page that ends too early');
    ends[count] = at;
  }
  return { bytes, starts, ends, count };
}

/** Writes decoded values as texts. `LineWriter` later adds the leading zeros of numbers. */
export function writeTexts(values: ArrayLike<unknown>, name: string): Texts {
  const texts = Array.from(values, (value) => writeValue(value, name));
  const count = texts.length;
  const [starts, ends] = [new Uint32Array(count), new Uint32Array(count)];
  let end = 0;
  texts.forEach((text, at) => {
    starts[at] = end;
    end += Buffer.byteLength(text);
    ends[at] = end;
  });
  return { bytes: Buffer.from(texts.join('')), starts, ends, count };
}

function writeValue(value: unknown, name: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') {
    throw new Error(`'${name}' has a value that is no text, number, date or time`);
  }
  return `${value as string | number | bigint | boolean}`;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const DAY_s = 86_400;
/** The number of days from 1 March of the year 0 to the beginning of 1970. */
const DAYS_FROM_YEAR_0 = 719_468;
/** The number of days in 400 years. */
const DAYS_OF_AGE = 146_097;
const [ZERO, HYPHEN, COLON, LETTER_T] = Buffer.from('0-:T') as unknown as [
  number,
  number,
  number,
  number,
];

/** Returns the first `length` characters of a moment in ISO 8601. A moment that `Date` lacks is no date. */
function writeMoment(time_ms: number, length: number): string {
  const time = new Date(time_ms);
  return Number.isNaN(time.getTime()) ? 'not a date' : time.toISOString().slice(0, length);
}

/** Returns a day in ten characters: YYYY-MM-DD, or a text that is no day for a year of more than four digits. */
const writeDay = (days_since_1970: number) => writeMoment(days_since_1970 * DAY_s * 1000, 10);

const writeTime = (time_ms: bigint) => writeMoment(Number(time_ms), 19);

/** The parsers that write values as a CSV file does. Times are local, without a zone. */
export const parsers: ParquetParsers = {
  ...DEFAULT_PARSERS,
  stringFromBytes: (bytes: Uint8Array) => decoder.decode(bytes),
  dateFromDays: writeDay,
  timestampFromMilliseconds: writeTime,
  timestampFromMicroseconds: (time: bigint) => writeTime(time / 1000n),
  timestampFromNanoseconds: (time: bigint) => writeTime(time / 1_000_000n),
};

/** Writes as texts the days of a page from `at` on. A day is an INT32: days since 1970. */
export function writeDays(page: Uint8Array, at: number): Texts {
  const { view, texts } = openTexts(page, at, 4, 10);
  for (let number = 0; number < texts.count; number += 1) {
    putDay(texts.bytes, number * 10, view.getInt32(at + number * 4, true));
  }
  return texts;
}

/** Writes as texts the times of a page from `at` on: INT64 below 2^53, `a_second` units per second since 1970. */
export function writeTimes(page: Uint8Array, at: number, a_second: number): Texts {
  const { view, texts } = openTexts(page, at, 8, 19);
  const { bytes } = texts;
  for (let number = 0; number < texts.count; number += 1) {
    const place = at + number * 8;
    const time = view.getInt32(place + 4, true) * 2 ** 32 + view.getUint32(place, true);
    const days = Math.floor(time / a_second / DAY_s);
    const seconds = Math.floor(time / a_second) - days * DAY_s;
    const start = number * 19;
    putDay(bytes, start, days);
    bytes[start + 10] = LETTER_T;
    putNumber(bytes, start + 11, 2, Math.floor(seconds / 3600));
    bytes[start + 13] = COLON;
    putNumber(bytes, start + 14, 2, Math.floor(seconds / 60) % 60);
    bytes[start + 16] = COLON;
    putNumber(bytes, start + 17, 2, seconds % 60);
  }
  return texts;
}

/** Allocates texts of `text_bytes` bytes for the numbers of a page, which have `number_bytes` bytes each. */
function openTexts(page: Uint8Array, at: number, number_bytes: number, text_bytes: number) {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const count = Math.floor((page.length - at) / number_bytes);
  const bytes = new Uint8Array(count * text_bytes);
  const [starts, ends] = [new Uint32Array(count), new Uint32Array(count)];
  for (let number = 0; number < count; number += 1) {
    starts[number] = number * text_bytes;
    ends[number] = starts[number]! + text_bytes;
  }
  return { view, texts: { bytes, starts, ends, count } };
}

/** Writes YYYY-MM-DD. `Date` takes ten times as long. The calendar repeats after 400 years, counted from March. */
function putDay(bytes: Uint8Array, at: number, days_since_1970: number): void {
  const days = days_since_1970 + DAYS_FROM_YEAR_0;
  const age = Math.floor(days / DAYS_OF_AGE);
  const day_of_age = days - age * DAYS_OF_AGE;
  const leaps = divide(day_of_age, 1460) - divide(day_of_age, 36_524) + divide(day_of_age, 146_096);
  const year_of_age = divide(day_of_age - leaps, 365);
  const years_days = 365 * year_of_age + divide(year_of_age, 4) - divide(year_of_age, 100);
  const day_of_year = day_of_age - years_days;
  const month = divide(5 * day_of_year + 2, 153);
  const year = age * 400 + year_of_age + (month < 10 ? 0 : 1);
  if (year < 0 || year > 9999) {
    bytes.set(Buffer.from(writeDay(days_since_1970)), at);
    return;
  }
  putNumber(bytes, at, 4, year);
  bytes[at + 4] = HYPHEN;
  putNumber(bytes, at + 5, 2, month < 10 ? month + 3 : month - 9);
  bytes[at + 7] = HYPHEN;
  putNumber(bytes, at + 8, 2, day_of_year - divide(153 * month + 2, 5) + 1);
}

function divide(number: number, by: number): number {
  return Math.floor(number / by);
}

/** Writes the last `digits` digits of a number. */
function putNumber(bytes: Uint8Array, at: number, digits: number, number: number): void {
  let left = number;
  for (let place = at + digits - 1; place >= at; place -= 1) {
    const tenth = Math.floor(left / 10);
    bytes[place] = ZERO + left - tenth * 10;
    left = tenth;
  }
}
