// Finds the numbers in what is pasted or comes from a file.

const separators = /[\n\r,;|\t]+/;

/** What people write before a number: its kind, and the code of a country. */
function prefixOf(options) {
  const names = options.flatMap(({ value, dataset }) => [
    value.replace(/\d+$/, (digits) => `(?:${digits})?`),
    dataset.country,
  ]);
  return new RegExp(`^(?:(?:${names.join('|')})[\\s:.-]*)+(?=\\w*\\d)`, 'i');
}

/**
 * The numbers of a text, each once, and what has digits and is none. Numbers stand on lines of their own, or
 * between commas, semicolons or tabs; inside a number spaces and dashes are fine. Text without a digit, such
 * as the names and headings of a table, is left out.
 *
 * @param options of the list of kinds; one has the length of its numbers, and the letters before the digits. A number
 *   with such letters may have others after them
 * @returns the numbers without spaces and dashes, and `[text, reason]` of the others
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
    const digits = named ? stripped.slice(letters.length) : stripped;
    const foreign = named ? /[^\dA-Z\s\u2010-\u2015-]/ : /[^\d\s\u2010-\u2015-]/;
    if (foreign.test(digits)) bad.set(written, 'has more than digits.');
    else for (const number of join(digits, length - letters.length)) good.add(letters + number);
  }
  return { good: [...good], bad: [...bad] };
}

/** Joins groups of digits and capital letters to numbers of a length: `100 140 60 06 5260250274` is two. */
function join(text, length) {
  const numbers = [];
  let number = '';
  for (const group of text.split(/\s+/)) {
    const digits = group.replaceAll(/[^\dA-Z]/g, '');
    if (number !== '' && number.length + digits.length > length) {
      numbers.push(number);
      number = '';
    }
    number += digits;
    if (number.length >= length) {
      numbers.push(number);
      number = '';
    }
  }
  return number === '' ? numbers : [...numbers, number];
}
