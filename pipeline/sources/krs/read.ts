import { readFile, stat } from 'node:fs/promises';
import { readLines } from '../../dump/lines.ts';
import type { Answer, AnswerFile } from '../source.ts';
import { type KrsAnswer, readExtract } from './extract.ts';
import { UnusableExtract } from './fold.ts';

/** The full extract of a company as old and large as they come has less than one megabyte. */
const EXTRACT_BYTES = 8 * 1024 ** 2;

/** The lists and objects of a full extract stand twelve deep. */
const MOST_LEVELS = 64;

/** Characters of an unreadable extract that are kept. */
const RAW_LENGTH = 4000;

/** The list of companies that are struck off and of which there is no extract any more. */
const listName = /(?:^|\/)deleted\.txt$/i;

export function isExtractFile(file: string): boolean {
  return /\.(?:json|ndjson)$/i.test(file) || listName.test(file);
}

/**
 * The extracts of one file: a `.json` holds one, an `.ndjson` one a line; `deleted.txt` holds a number
 * a line. What cannot be read has a reason.
 */
export async function* readAnswers(file: AnswerFile, signal?: AbortSignal): AsyncGenerator<Answer> {
  signal?.throwIfAborted();
  if (/\.json$/i.test(file.file)) {
    yield await readJsonFile(file.path);
    return;
  }
  const isList = listName.test(file.file);
  for await (const found of readLines(file.path, { max_bytes: EXTRACT_BYTES }, signal)) {
    if ('reason' in found) yield found;
    else yield (isList ? describeNumber : describeAnswer)(found.line, found.text);
  }
}

function describeNumber(line: number, text: string): Answer {
  const raw = shorten(text);
  const answer: KrsAnswer = { kind: 'deleted', krs: raw.trim() };
  return /^[0-9]{10}$/.test(answer.krs)
    ? { line, raw, answer }
    : { line, raw, reason: 'no KRS number of ten digits' };
}

async function readJsonFile(path: string): Promise<Answer> {
  const { size } = await stat(path);
  if (size > EXTRACT_BYTES) {
    return { line: 1, raw: '', reason: `an extract of more than ${EXTRACT_BYTES} bytes` };
  }
  const bytes = await readFile(path);
  try {
    return describeAnswer(1, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { line: 1, raw: shorten(bytes.toString('utf8', 0, RAW_LENGTH)), reason: 'not UTF-8' };
  }
}

function describeAnswer(line: number, text: string): Answer {
  const raw = shorten(text);
  try {
    return { line, raw, answer: parseExtract(text) };
  } catch (error) {
    if (error instanceof UnusableExtract) return { line, raw, reason: error.message };
    throw error;
  }
}

function parseExtract(text: string): KrsAnswer {
  if (text.trim() === '') throw new UnusableExtract('empty');
  if (/^\s*</.test(text)) throw new UnusableExtract('HTML or XML, no extract of KRS');
  if (countLevels(text) > MOST_LEVELS) {
    throw new UnusableExtract(`more than ${MOST_LEVELS} levels deep`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnusableExtract('not JSON');
  }
  return readExtract(value);
}

/** How deep lists and objects stand in each other, up to one more than the bound. */
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

function shorten(text: string): string {
  return text.slice(0, RAW_LENGTH).replaceAll('\0', '␀').toWellFormed().trimEnd();
}
