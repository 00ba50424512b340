import type { SourceDescription } from '../source.ts';
import { identifyFile, readAnswers } from './read.ts';

/**
 * KRS, the National Court Register, as its open API answers: a folder of `.json` files in any
 * nesting, each one extract, or `.ndjson` files with an extract a line. An extract is an OdpisAktualny
 * (the current content of the register) or an OdpisPelny (with its history). A dump may mix them.
 *
 * An entry is a company; its key is the KRS number. A company that was struck off has an OdpisPelny only:
 * its last content is kept, with the day of the entry that struck it off. A company without any extract
 * stands in `deleted.txt`, a KRS number a line; its strike-off has the day of the dump. Any other answer
 * of the service is no entry and closes nothing.
 */
export const description: SourceDescription = {
  format: 'document',
  dump_kind: 'delta',
  country_code: 'PL',
  identifyFile,
  readAnswers,
};
