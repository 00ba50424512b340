import { isUtf8 } from 'node:buffer';

/** Returns the bytes of a header without a byte order mark; undefined when the header is not UTF-8 text. */
export function readUtf8(bytes: Buffer): Buffer | undefined {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const line = hasMark ? bytes.subarray(3) : bytes;
  // `isUtf8` is false for text with UTF-16's byte order mark; a NUL byte reveals UTF-16 without this mark.
  return isUtf8(line) && !line.includes(0) ? line : undefined;
}

/** Returns the reason why a scanned record (a row in Windows-1250, say) is not UTF-8 text; undefined for UTF-8 text. */
export function findEncodingFault(
  scan: { has_nul: boolean; is_ascii: boolean },
  { data, start, end }: { data: Buffer; start: number; end: number },
): string | undefined {
  if (scan.has_nul) return 'a NUL byte';
  return scan.is_ascii || isUtf8(data.subarray(start, end)) ? undefined : 'not UTF-8';
}
