import { z } from 'zod';
import { type BirRow, readEnvelope, readRecords, SoapFault, UnreadableAnswer } from './soap.ts';
import { describeText, parseJson, readEach, UnusableAnswer } from '../answer.ts';
import type { DocumentDescription } from '../source.ts';
import { readNumber, readReport } from './answer.ts';
import { findReportIn } from './report-types.ts';

/** The maximum size of an answer of REGON, in bytes; even an answer about thousands of local units is smaller. */
export const ANSWER_BYTES = 12 * 1024 ** 2;

/** Matches the daily lists of numbers, which collect_daily_lists.sql applies to the entries. */
const listName = /(?:^|\/)(new|updated|deleted)\.txt$/i;

/**
 * Describes the dumps of REGON, the register of GUS: answers of its API BIR 1.1 or 1.2, and daily lists. An entry of
 * REGON is one activity of a person, who may have several activities. The key of an entry of REGON is the REGON number
 * and the number of the "silo" (the kind of activity): 1 CEIDG, 2 agricultural, 3 other, 4 struck off before
 * 2014-11-08, 6 a legal person. An entry needs the main report of the activity, and for a natural person also the
 * report DaneOgolne. If the dump lacks another report, the entry keeps the data from the last report of that kind.
 */
export const description: DocumentDescription = {
  format: 'document',
  dump_kind: 'delta',
  country_code: 'PL',
  identifyFile: (file) => (/\.(?:xml|ndjson)$/i.test(file) || listName.test(file) ? file : null),
  readAnswers(from) {
    const list = listName.exec(from.file)?.[1]?.toLowerCase();
    return readEach(from, ANSWER_BYTES, (text) => {
      if (list) return readNumber(list, text);
      return /\.xml$/i.test(from.file) ? readXmlReport(text, from.file) : readReportLine(text);
    });
  },
};

function readXmlReport(text: string, file: string): object {
  const rows = readXml(text);
  // An answer without records does not state which report it is, so the report is found by the name of the file.
  const report = rows.length === 0 ? findReportIn(file.replace(/^.*\//, '')) : undefined;
  return readReport(rows, { report: report?.name });
}

function readXml(text: string): BirRow[] {
  const notXml = describeText(text);
  if (notXml !== undefined) throw new UnusableAnswer(notXml);
  const isWrapped = /<(?:[\w.-]+:)?Envelope[\s>]/.test(text);
  try {
    return readRecords(isWrapped ? readEnvelope('DanePobierzPelnyRaport', text) : text) ?? [];
  } catch (error) {
    if (error instanceof SoapFault) throw new UnusableAnswer(`a fault of BIR: ${error.message}`);
    if (!(error instanceof UnreadableAnswer)) throw error;
    // Only the first line of the XML parser's message is used, because its other lines only state the position.
    const [what] = error.cause instanceof Error ? error.cause.message.split('\n') : [];
    throw new UnusableAnswer(what === undefined ? error.message : `${error.message}: ${what}`);
  }
}

const field = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => String(value ?? ''));

const reportLine = z.object({
  report: z.string(),
  regon: z.string().optional(),
  data: z.array(z.record(z.string(), field)),
});

function readReportLine(text: string): object {
  const parsed = reportLine.safeParse(parseJson(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UnusableAnswer(`not a report: ${issue!.path.join('.')} ${issue!.message}`);
  }
  return readReport(parsed.data.data, parsed.data);
}
