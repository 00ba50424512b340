import type { SourceDescription } from '../source.ts';
import { isAnswerFile, readAnswers } from './read.ts';

/**
 * REGON, the register of GUS, as its service BIR 1.1 or 1.2 answers: a folder of `.xml` files, each
 * one answer of a full report, bare or in its SOAP envelope, in any number and nesting; or `.ndjson`
 * files with a line `{"report", "regon", "data": [{…}]}` an answer; and the daily lists `new.txt`,
 * `updated.txt` and `deleted.txt`, a REGON a line.
 *
 * Which report a bare answer is, its fields tell. Whose it is, where it holds no REGON (activities,
 * partners): that of 9 or 14 digits in the name of its file, else in the name of its folder, else
 * that of the one company which the answers of its folder are about; else it is rejected.
 *
 * An entry is one activity, of which a natural person can have several: its key is the REGON and the
 * number of the "silos" (1 CEIDG, 2 agricultural, 3 other, 4 struck off before 2014-11-08, 6 a legal
 * person). It needs the main report of the activity, and of a natural person DaneOgolne too; any
 * other report that the dump does not hold says nothing, and what it said last stays.
 */
export const description: SourceDescription = {
  format: 'document',
  dump_kind: 'delta',
  country_code: 'PL',
  identifyFile: (file) => (isAnswerFile(file) ? file : null),
  readAnswers,
};
