import { parseJson, readEach, UnusableAnswer } from '../answer.ts';
import type { DocumentDescription } from '../source.ts';
import { readExtract } from './extract.ts';

/** The largest size of an extract, in bytes; the longest known full extract has less than one megabyte. */
const EXTRACT_BYTES = 8 * 1024 ** 2;

const listName = /(?:^|\/)deleted\.txt$/i;

/**
 * Describes KRS, the National Court Register, by the answers of its open API: an OdpisAktualny (the current content
 * of the register) or an OdpisPelny (with its history). An entry is a company; its key is the KRS number.
 *
 * A struck-off company has an OdpisPelny only: its last content is kept, with the day of the entry that struck it
 * off. A company without any extract is listed in `deleted.txt`; its strike-off has the day of the dump. Any other
 * answer of the service is no entry and closes nothing.
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
