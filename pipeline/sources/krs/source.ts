import type { SourceDescription } from '../source.ts';
import { isExtractFile, readAnswers } from './read.ts';

/**
 * KRS, the National Court Register, as its open API answers: a folder of `.json` files in any
 * nesting, each one extract, or `.ndjson` files with an extract a line. An extract is an
 * OdpisAktualny (what stands in the register) or an OdpisPelny (what ever stood in it); both say
 * the same of what stands in it now, and a dump may mix them.
 *
 * An entry is a company; its key is the KRS number. A company that was struck off has an OdpisPelny
 * alone: what stood in the register to the last is kept, the date is that of the entry that struck
 * it off. One without any extract stands in `deleted.txt`, a KRS number a line, and is struck off on
 * the day of the dump. What the service answers in place of an extract is no entry and closes nothing.
 */
export const description: SourceDescription = {
  format: 'document',
  dump_kind: 'delta',
  country_code: 'PL',
  identifyFile: (file) => (isExtractFile(file) ? file : null),
  readAnswers,
};
