import { parseJson, readEach, UnusableAnswer } from '../answer.ts';
import type { DocumentDescription } from '../source.ts';
import { readExtract } from './extract.ts';

/** The largest accepted size of an extract, in bytes; the longest known full extract has less than one megabyte. */
const EXTRACT_BYTES = 8 * 1024 ** 2;

const listName = /(?:^|\/)deleted\.txt$/i;

/**
 * Describes KRS, the National Court Register, by the answers of its open API. An answer is an OdpisAktualny (the
 * current content of the register) or an OdpisPelny (with its history). An entry is a company, whose key is the KRS
 * number.
 *
 * A struck-off company has only an OdpisPelny: its last content is stored, with the day of the entry that struck it
 * off. A company without any extract is listed in `deleted.txt`, and its strike-off gets the day of the dump. Any other
 * answer of KRS closes no entry.
 */
export const description: DocumentDescription = {
  format: 'document',
  dump_kind: 'delta',
  country_code: 'PL',
  identifyFile: (file) => (/\.(?:json|ndjson)$/i.test(file) || listName.test(file) ? file : null),
  readAnswers: (from) =>
    readEach(from, EXTRACT_BYTES, (text) => {
      if (!listName.test(from.file)) return readExtract(parseJson(text));
      if (!/^[0-9]{10}$/.test(text)) throw new UnusableAnswer('no KRS number of ten digits');
      return { kind: 'deleted', krs: text };
    }),
};
