// The pattern of white space, which includes control characters.
const whiteSpace = new RegExp(String.raw`[\s\u001c-\u001f\u0085\u200b]+`, 'g');

// Matches a text that consists of hyphens, dashes and minus signs of any kind, and of blanks.
const hyphens = /^[-\u00ad\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d ]+$/;

const entity = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/g;

/** The characters that named XML and HTML entities stand for, by the names of the entities. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  shy: '\u00ad',
  ndash: '\u2013',
  mdash: '\u2014',
  minus: '\u2212',
};

/** The maximum number of times that a registry escapes a text (`&amp;amp;` is escaped twice). */
const ESCAPES = 3;

/**
 * Returns a registry's text without escapes, trimmed, and with one blank for each run of white space. Returns a blank
 * for a text of hyphens only, which registries write into empty fields. COPY turns a blank field into null
 * (../dump/copy-lines.ts). The readers of all sources call `tidy` for their values. `RecordScanner` finds the records
 * for which `tidy` must be called.
 */
export function tidy(text: string): string {
  let plain = text;
  for (let left = ESCAPES; left > 0 && plain.includes('&'); left -= 1) {
    plain = plain.replace(entity, decode);
  }
  plain = plain.replace(whiteSpace, ' ').trim();
  return hyphens.test(plain) ? '' : plain;
}

/** Returns the character of an entity, or the entity itself if it names no character. */
function decode(written: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named[name] ?? written;
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : written;
}
