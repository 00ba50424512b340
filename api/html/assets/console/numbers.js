// Finds the numbers of companies in a text that a visitor pastes or loads from a file.

const separators = /[\n\r,;|\t]+/;

/** Returns the pattern of the words that people write before a number: `NIP`, `REGON` or the code of a country. */
function prefixOf(options) {
  const names = options.flatMap(({ value, dataset }) => [
    value.replace(/\d+$/, (digits) => `(?:${digits})?`),
    dataset.country,
  ]);
  return new RegExp(`^(?:(?:${names.join('|')})[\\s:.-]*)+(?=\\w*\\d)`, 'i');
}

/**
 * Returns the numbers of a text, each once, and the pieces of the text with digits that are no numbers. Line breaks,
 * commas, semicolons and tabs separate pieces; a number may contain spaces and dashes. Pieces without a digit, such
 * as the headings of a table, are left out.
 *
 * @param options the `<option>` elements of the types of numbers. Each option has the length of its type's numbers,
 *   and the letters with which they begin. A number that begins with these letters may have more letters later
 * @returns the `good` numbers without spaces and dashes, and each `bad` piece as `[text, reason]`
 */
export function readNumbers(text, type, options) {
  const { length, letters } = options.find(({ value }) => value === type).dataset;
  const prefix = prefixOf(options);
  const good = new Set();
  const bad = new Map();
  for (const piece of text.split(separators)) {
    const written = piece.replaceAll(/^[\s"']+|[\s"']+$/g, '');
    if (!/\d/.test(written)) continue;
    const stripped = written.replace(prefix, '').toUpperCase();
    const named = letters && stripped.startsWith(letters);
    // Two letters in a row are read as a word, not as a part of a number: `Warszawa 24`.
    const foreign = named ? /[^\dA-Z\s\u2010-\u2015-]|[A-Z]{2}/ : /[^\d\s\u2010-\u2015-]/;
    if (foreign.test(stripped)) bad.set(written, 'has more than digits.');
    else for (const number of join(stripped, length, letters)) good.add(number);
  }
  return { good: [...good], bad: [...bad] };
}

/** Joins groups of digits to numbers of the given length: `100 140 60 06 5260250274` has two numbers of length 10. */
function join(text, length, letters) {
  const numbers = [];
  let number = letters;
  const end = () => {
    if (number !== letters) numbers.push(number);
    number = letters;
  };
  for (const group of text.split(/\s+/)) {
    let digits = group.replaceAll(/[^\dA-Z]/g, '');
    if (number.length + digits.length > length) end();
    if (number === letters && digits.startsWith(letters)) digits = digits.slice(letters.length);
    number += digits;
    if (number.length >= length) end();
  }
  end();
  return numbers;
}
