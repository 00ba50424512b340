import type { SourceDescription } from '../source.ts';
import { identifyFile, readAnswers } from './read.ts';

/**
 * REGON, the register of GUS, as its service BIR 1.1 or 1.2 answers: a folder of `.xml` files, each
 * one answer of a full report, bare or in its SOAP envelope, in any number and nesting; or `.ndjson`
 * files with a line `{"report", "regon", "data": [{…}]}` an answer; and the daily lists `new.txt`,
 * `updated.txt` and `deleted.txt`, a REGON a line.
 *
 * The fields of a bare answer tell its report. An answer without a REGON (activities, partners) belongs to
 * the REGON of 9 or 14 digits in the name of its file, else of its folder, else to the only company of
 * the folder; else it is rejected.
 *
 * An entry is one activity; a natural person can have several. Its key is the REGON and the number of the
 * "silos": 1 CEIDG, 2 agricultural, 3 other, 4 struck off before 2014-11-08, 6 a legal person. An entry
 * needs the main report of the activity; a natural person needs DaneOgolne too. The last content of any
 * other report stays where the dump does not hold it.
 */
export const description: SourceDescription = {
  format: 'document',
  dump_kind: 'delta',
  country_code: 'PL',
  identifyFile,
  readAnswers,
};
