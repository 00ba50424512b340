import type { Scan } from './copy-buffer.ts';

const SEPARATOR = 59;
const QUOTE = 34;
const BLANK = 32;

/**
 * Looks at data[start, end), a record of one line that has quoted fields, field by field.
 *
 * @param scan what was seen of it as if it had none: corrected when it turns out to be plain
 * @param ends is told where each field ends; it may have room for fewer than there are
 * @returns false when the record may mean another thing to COPY than to a parser: a quote inside a
 *   field that is not quoted, text behind a closing quote, or quotes with nothing between them
 */
export function scanQuoted(
  scan: Scan,
  data: Buffer,
  start: number,
  end: number,
  ends: Uint32Array,
): boolean {
  let separators = 0;
  for (let at = start; ; at += 1) {
    if (data[at] === QUOTE) {
      const close = findClosing(data, at, end);
      if (close === undefined || close === at + 1) return false;
      if (data[at + 1] === BLANK || data[close - 1] === BLANK) scan.needs_tidying = true;
      at = close + 1;
    } else {
      while (at < end && data[at] !== SEPARATOR) if (data[at++] === QUOTE) return false;
    }
    ends[separators] = at;
    if (at >= end) break;
    if (data[at] !== SEPARATOR) return false;
    separators += 1;
  }
  scan.separators = separators;
  return true;
}

/** Two quotes in a row are one of the text. */
function findClosing(data: Buffer, open: number, end: number): number | undefined {
  let close = data.indexOf(QUOTE, open + 1);
  while (close >= 0 && close + 1 < end && data[close + 1] === QUOTE) {
    close = data.indexOf(QUOTE, close + 2);
  }
  return close >= 0 && close < end ? close : undefined;
}
