import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { readResult, readRows, SoapFault, UnreadableAnswer } from '../../fetch/soap.ts';
import { readLines } from '../../dump/lines.ts';
import type { Answer, AnswerFile } from '../source.ts';
import {
  type AnswerLabel,
  readNumber,
  readReport,
  type RegonAnswer,
  UnusableAnswer,
} from './answer.ts';
import { findReportIn } from './report.ts';
import { decodeXml } from './xml-text.ts';

/** Even a company with thousands of units has less. */
export const ANSWER_BYTES = 12 * 1024 ** 2;

/** Characters of an answer that are kept for whoever looks at the rejects. */
const RAW_LENGTH = 4000;

const listName = /(?:^|\/)(new|updated|deleted)\.txt$/i;

/** What files of a dump are: by their name alone. */
export function isAnswerFile(file: string): boolean {
  return /\.(?:xml|ndjson)$/i.test(file) || listName.test(file);
}

/**
 * The answers of one file: an `.xml` holds one, an `.ndjson` one a line, a daily list one number a
 * line. What cannot be read has a reason.
 */
export async function* readAnswers(file: AnswerFile, signal?: AbortSignal): AsyncGenerator<Answer> {
  signal?.throwIfAborted();
  if (/\.xml$/i.test(file.file)) {
    yield await readXmlFile(file);
    return;
  }
  const list = listName.exec(file.file)?.[1]?.toLowerCase() as
    'new' | 'updated' | 'deleted' | undefined;
  for await (const found of readLines(file.path, { max_bytes: ANSWER_BYTES }, signal)) {
    if ('reason' in found) yield found;
    else {
      const { line, text } = found;
      const read = () => (list ? readNumber(list, text) : readReportLine(text));
      yield describeAnswer(line, text, read);
    }
  }
}

async function readXmlFile({ path, file }: AnswerFile): Promise<Answer> {
  const { size } = await stat(path);
  if (size > ANSWER_BYTES) {
    return { line: 1, raw: '', reason: `an answer of more than ${ANSWER_BYTES} bytes` };
  }
  const bytes = await readFile(path);
  const raw = bytes.toString('utf8', 0, RAW_LENGTH);
  return describeAnswer(1, raw, () => {
    const label: AnswerLabel = {};
    const rows = readXml(decodeXml(bytes));
    // An answer without records does not tell what it is; the file's name may.
    if (rows.length === 0) label.report = findReportIn(file.replace(/^.*\//, ''));
    return readReport(rows, label);
  });
}

function readXml(text: string): ReturnType<typeof readRows> {
  if (text.trim() === '') throw new UnusableAnswer('empty');
  if (/^\s*<(?:!doctype\s+html|html|head|body)[\s>]/i.test(text)) {
    throw new UnusableAnswer('HTML, no answer of BIR');
  }
  const isWrapped = /<(?:[\w.-]+:)?Envelope[\s>]/.test(text);
  return readRows(isWrapped ? readResult(text, 'DanePobierzPelnyRaport') : text);
}

const reportLine = z.object({
  report: z.string(),
  regon: z.string().optional(),
  data: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
});

function readReportLine(text: string): RegonAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnusableAnswer('not JSON');
  }
  const parsed = reportLine.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UnusableAnswer(`not a report: ${issue!.path.join('.')} ${issue!.message}`);
  }
  const { report, regon, data } = parsed.data;
  const rows = data.map((row) =>
    Object.fromEntries(Object.entries(row).map(([key, field]) => [key, String(field ?? '')])),
  );
  return readReport(rows, { report, regon });
}

function describeAnswer(line: number, raw: string, read: () => RegonAnswer): Answer {
  const shown = raw.slice(0, RAW_LENGTH).replaceAll('\0', '␀').toWellFormed().trimEnd();
  try {
    const answer = read();
    assertText(answer);
    return { line, raw: shown, answer };
  } catch (error) {
    if (error instanceof UnusableAnswer) return { line, raw: shown, reason: error.message };
    if (error instanceof SoapFault) {
      return { line, raw: shown, reason: `a fault of BIR: ${error.message}` };
    }
    if (!(error instanceof UnreadableAnswer)) throw error;
    // The parser adds lines that say where.
    const [what] = error.cause instanceof Error ? error.cause.message.split('\n') : [];
    const cause = what === undefined ? '' : `: ${what}`;
    return { line, raw: shown, reason: `${error.message}${cause}` };
  }
}

/** Neither NUL nor half a character has a place in the text of a database. */
function assertText(answer: RegonAnswer): void {
  JSON.stringify(answer, (_, value: unknown) => {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw new UnusableAnswer('characters that are no text');
    }
    return value;
  });
}
