import { isUtf8 } from 'node:buffer';
import { parseJson, readEachLine, readWhole, UnusableAnswer } from '../answer.ts';
import type { DocumentDescription } from '../source.ts';
import { readExtract } from './extract.ts';

/** The largest size of an extract, in bytes; the longest known full extract has less than one megabyte. */
const EXTRACT_BYTES = 8 * 1024 ** 2;

/** The most levels of nested lists and objects in an extract; a full extract has twelve. */
const MOST_LEVELS = 64;

/** Matches the list of companies that are struck off and have no extract any more. */
const listName = /(?:^|\/)deleted\.txt$/i;

/**
 * Describes KRS, the National Court Register, by the answers of its open API. A dump is a folder in any nesting, of
 * `.json` files with one extract each, or of `.ndjson` files with an extract a line. An extract is an OdpisAktualny
 * (the current content of the register) or an OdpisPelny (with its history). A dump may mix them.
 *
 * An entry is a company; its key is the KRS number. A struck-off company has an OdpisPelny only: its last content is
 * kept, with the day of the entry that struck it off. A company without any extract is listed in `deleted.txt`, a KRS
 * number a line; its strike-off has the day of the dump. Any other answer of the service is no entry and closes
 * nothing.
 */
export const description: DocumentDescription = {
  format: 'document',
  dump_kind: 'delta',
  country_code: 'PL',
  identifyFile: (file) => (/\.(?:json|ndjson)$/i.test(file) || listName.test(file) ? file : null),
  async *readAnswers(from) {
    if (/\.json$/i.test(from.file)) {
      yield await readWhole(from, 'an extract', EXTRACT_BYTES, readJson);
      return;
    }
    const read = listName.test(from.file) ? readNumber : parseExtract;
    yield* readEachLine(from, EXTRACT_BYTES, read);
  },
};

function readNumber(krs: string): object {
  if (!/^[0-9]{10}$/.test(krs)) throw new UnusableAnswer('no KRS number of ten digits');
  return { kind: 'deleted', krs };
}

function readJson(bytes: Buffer): object {
  if (!isUtf8(bytes)) throw new UnusableAnswer('not UTF-8', 'damaged_row');
  return parseExtract(new TextDecoder().decode(bytes));
}

function parseExtract(text: string): object {
  if (text.trim() === '') throw new UnusableAnswer('empty');
  if (/^\s*</.test(text)) throw new UnusableAnswer('HTML or XML, no extract of KRS');
  if (countLevels(text) > MOST_LEVELS) {
    throw new UnusableAnswer(`more than ${MOST_LEVELS} levels deep`);
  }
  return readExtract(parseJson(text));
}

/** Counts the levels of nested lists and objects, up to one more than `MOST_LEVELS`. */
function countLevels(text: string): number {
  let level = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < text.length && deepest <= MOST_LEVELS; at += 1) {
    const letter = text[at]!;
    if (isText) {
      if (letter === '\\') at += 1;
      else if (letter === '"') isText = false;
    } else if (letter === '"') isText = true;
    else if (letter === '{' || letter === '[') deepest = Math.max(deepest, ++level);
    else if (letter === '}' || letter === ']') level -= 1;
  }
  return deepest;
}
