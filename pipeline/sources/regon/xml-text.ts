import { UnusableAnswer } from '../answer.ts';

/**
 * Decodes an XML file, in the encoding that its bytes show or that it declares; UTF-8 otherwise. Throws an
 * `UnusableAnswer` when the encoding is unknown or the bytes do not fit it.
 */
export function decodeXml(bytes: Buffer): string {
  const shown = showEncoding(bytes);
  const head = bytes.toString('latin1', 0, 200);
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(head)?.[1];
  // A declaration that is readable as Latin letters shows one byte a character, so the text is not UTF-16.
  if (shown === undefined && /^(?:utf-?16|ucs-?2|iso-10646)/i.test(declared ?? '')) {
    throw new UnusableAnswer(`declares ${declared}, but is not`);
  }
  const encoding = shown ?? declared ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new UnusableAnswer(`not ${encoding.toUpperCase()}`);
    throw new UnusableAnswer(`the encoding '${encoding}' is not known`);
  }
}

/** Returns the encoding that the first bytes show, by a byte order mark or a `<` of two bytes; else undefined. */
function showEncoding(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 4).toString('hex');
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe') || /^3c00..00/.test(start)) return 'utf-16le';
  if (start.startsWith('feff') || start.startsWith('003c00')) return 'utf-16be';
  return undefined;
}
