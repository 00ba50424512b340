import { parseJson, readEach, UnusableAnswer } from '../answer.ts';
import type { DocumentDescription } from '../source.ts';
import { readExtract } from './extract.ts';

/** The largest accepted size of an extract, in bytes; the longest known full extract has less than one megabyte. */
const EXTRACT_BYTES = 8 * 1024 ** 2;

const listName = /(?:^|\/)deleted\.txt$/i;

/**
 * Describes the dumps of KRS, the National Court Register, which hold answers of its open API. An answer of KRS is an
 * OdpisAktualny (current extract) or an OdpisPelny (full extract, with the history). An entry of KRS is a company,
 * whose key is the KRS number.
 *
 * Of a struck-off company, KRS returns only an OdpisPelny; its last content is stored, with the day of the strike-off.
 * A struck-off company without any extract is listed in `deleted.txt`, and counts as struck off on the day of the dump.
 * No other answer of KRS marks an entry as struck off.
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
