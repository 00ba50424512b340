// Some of these are control characters.
const whiteSpace = new RegExp(String.raw`[\s\u001c-\u001f\u0085\u200b]+`, 'g');

// Hyphens, dashes and minus signs of every kind, and the blanks between them.
const hyphens = /^[-\u00ad\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d ]+$/;

const entity = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/g;

/** The characters of named entities. */
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

/** How many times a registry escapes a text, at most. */
const ESCAPES = 3;

/**
 * Returns the text that a registry means, without escapes, trimmed, and with one blank for each run of white
 * space. Returns a blank text for one of hyphens alone, with which registries fill in what they do not have.
 * Every source reads its values by this function. `RecordScanner` finds the records that need it.
 */
export function tidy(text: string): string {
  let plain = text;
  for (let left = ESCAPES; left > 0 && plain.includes('&'); left -= 1) {
    plain = plain.replace(entity, decode);
  }
  plain = plain.replace(whiteSpace, ' ').trim();
  return hyphens.test(plain) ? '' : plain;
}

/** Returns the character of an entity, and the entity itself where it stands for none. */
function decode(written: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named[name] ?? written;
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : written;
}
