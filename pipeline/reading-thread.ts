// A thread that reads files of a dump, as `ReadingThreads` asks for it.
import { parentPort, workerData } from 'node:worker_threads';
import type { DumpFile, ListedFile } from './dump.ts';
import { hashFile } from './file-hash.ts';
import { KnownRecords, type KnownTable } from './fingerprint.ts';
import type { TableShape } from './layout.ts';
import { type FileCount, readFile, type RecordBatch } from './read-file.ts';
import { Refusal } from './refusal.ts';

/** What a thread is started with. */
export interface ReadingTask {
  shape: TableShape;
}

/** Yesterday's records, told before the first question. */
export interface ReadingKnowledge {
  known: KnownTable;
}

/** The SHA-256 of a file is wanted. */
export interface HashQuestion {
  hashed: ListedFile;
}

/** The next batch of a file is wanted. Several files may be read by turns. */
export interface ReadingQuestion {
  file: DumpFile;
}

export type ReadingAnswer = { file_no: number } & (
  | { result: IteratorResult<RecordBatch, FileCount> }
  | { sha256: string }
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

async function answer(question: ReadingQuestion | HashQuestion): Promise<ReadingAnswer> {
  const { file_no } = 'file' in question ? question.file : question.hashed;
  try {
    if ('hashed' in question) return { file_no, sha256: await hashFile(question.hashed.path) };
    const reading = readings.get(file_no) ?? readFile(shape, question.file, known);
    readings.set(file_no, reading);
    return { file_no, result: await reading.next() };
  } catch (error) {
    const { message, stack } = error as Error;
    return { file_no, failure: { isRefusal: error instanceof Refusal, message, stack } };
  }
}

async function reply(question: ReadingQuestion | HashQuestion): Promise<void> {
  const said = await answer(question);
  const lines = 'result' in said && !said.result.done && said.result.value.lines;
  parentPort!.postMessage(said, lines ? [lines.buffer] : []);
}

parentPort!.on('message', (message: ReadingKnowledge | ReadingQuestion | HashQuestion) => {
  if ('known' in message) known = new KnownRecords(0, message.known);
  else void reply(message);
});
