// A thread that reads files of a dump, as `ReadingThreads` asks for it.
import { parentPort, workerData } from 'node:worker_threads';
import type { DumpFile, ListedFile } from './files.ts';
import { hashFile } from './file-hash.ts';
import { KnownRecords, type KnownTable, type Share } from './known-records.ts';
import type { TableShape } from './header.ts';
import { type FileCount, readFile, type RecordBatch } from './read-file.ts';
import { Refusal } from '../errors.ts';

/** What a thread is started with. */
export interface ReadingTask {
  shape: TableShape;
}

/** Yesterday's records, told before the first file: a share of them is to be added to the table. */
export interface Lesson {
  table: KnownTable;
  share: Share;
}

/** What is wanted. Several files may be read by turns. */
export interface Question {
  question_no: number;
  asked:
    | { lesson: Lesson }
    /** The SHA-256 of a file. */
    | { hashed: ListedFile }
    /** The next batch of a file. */
    | { file: DumpFile };
}

export type Answer = { question_no: number } & (
  | { value: IteratorResult<RecordBatch, FileCount> | string | undefined }
  | { failure: ReadingFailure }
);

/** An error, as it crosses the border of a thread: errors lose their class there. */
export interface ReadingFailure {
  isRefusal: boolean;
  message: string;
  stack: string | undefined;
}

const { shape } = workerData as ReadingTask;
let known = new KnownRecords(0);
const readings = new Map<number, AsyncGenerator<RecordBatch, FileCount>>();

function learn({ table, share }: Lesson): void {
  known = new KnownRecords(table);
  known.learn(share);
}

function readNext(file: DumpFile): Promise<IteratorResult<RecordBatch, FileCount>> {
  const reading = readings.get(file.file_no) ?? readFile(shape, file, known);
  readings.set(file.file_no, reading);
  return reading.next();
}

async function answer({ question_no, asked }: Question): Promise<Answer> {
  try {
    if ('lesson' in asked) {
      learn(asked.lesson);
      return { question_no, value: undefined };
    }
    if ('hashed' in asked) return { question_no, value: await hashFile(asked.hashed.path) };
    return { question_no, value: await readNext(asked.file) };
  } catch (error) {
    const { message, stack } = error as Error;
    return { question_no, failure: { isRefusal: error instanceof Refusal, message, stack } };
  }
}

async function reply(question: Question): Promise<void> {
  const said = await answer(question);
  const value = 'value' in said ? said.value : undefined;
  const lines = typeof value === 'object' && !value.done && value.value.lines;
  parentPort!.postMessage(said, lines ? [lines.buffer] : []);
}

parentPort!.on('message', (question: Question) => void reply(question));
