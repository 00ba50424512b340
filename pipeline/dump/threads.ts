import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DumpFile, ListedFile } from './files.ts';
import { KnownRecords, type Prints } from './known-records.ts';
import { tableShape, type TableShape } from './header.ts';
import type { FileCount, RecordBatch } from './read-file.ts';
import type { Answer, Question, ReadingFailure, ReadingTask } from './thread.ts';
import { Refusal } from '../errors.ts';

const MOST_THREADS = 4;
const YOUNG_MB = 1;
/** Less than this, packed, is read sooner than another thread has started. */
const BYTES_OF_A_THREAD = 4 * 1024 ** 2;
/** Where Node keeps modules compiled, which is most of what a thread does before it can read. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

type Reply = IteratorResult<RecordBatch, FileCount>;

/** What is waited for: a batch, the SHA-256 of a file, or that a thread has learnt its share. */
type Waiting = PromiseWithResolvers<Reply | string | undefined>;

/** A thread, and the bytes of the files that it has under way, by their number. */
interface Thread {
  worker: Worker;
  files: Map<number, number>;
}

/**
 * Threads that read the files of a dump side by side: inflating, splitting and fingerprinting take
 * all of a core. As many as the cores, but few for a small dump.
 */
export class ReadingThreads {
  readonly #threads: Thread[];
  /** By the number of the question: who waits for its answer. */
  readonly #waiting = new Map<number, Waiting>();
  #question_no = 0;
  /** Why no thread answers any more. */
  #end: Error | undefined;

  /** Starts the threads; they can read once they are told what is known. */
  constructor(source: TableShape, files: readonly ListedFile[]) {
    const byte_count = files.reduce((sum, file) => sum + file.byte_count, 0);
    const count = Math.min(
      MOST_THREADS,
      availableParallelism(),
      files.length,
      Math.ceil(byte_count / BYTES_OF_A_THREAD) || 1,
    );
    const workerData: ReadingTask = { shape: tableShape(source) };
    this.#threads = Array.from({ length: count }, () => this.#start(workerData));
  }

  /**
   * Tells yesterday's records, which are dropped: to be called before any file is read. Each thread adds
   * a share of them to the table that all of them share.
   */
  async learn(prints: Prints): Promise<KnownRecords> {
    const known = new KnownRecords(prints.size);
    const count = this.#threads.length;
    await Promise.all(
      this.#threads.map((thread, index) => {
        const lesson = { table: known.table, share: prints.share(index, count) };
        return this.#ask<undefined>(thread, { lesson });
      }),
    );
    return known;
  }

  /** The SHA-256 of a file that is not being read. */
  async hash(file: ListedFile): Promise<string> {
    const thread = this.#take(file);
    try {
      return await this.#ask<string>(thread, { hashed: file });
    } finally {
      thread.files.delete(file.file_no);
    }
  }

  /**
   * Reads a file in the thread that has the fewest bytes under way. The next batch is read while the
   * caller has the one before it.
   * Throws a `Refusal` when the file as a whole cannot be read.
   */
  async *read(file: DumpFile): AsyncGenerator<RecordBatch, FileCount> {
    const thread = this.#take(file);
    const ask = () => this.#ask<Reply>(thread, { file });
    try {
      let reply = await ask();
      while (!reply.done) {
        const next = ask();
        // The caller may leave before it looks at it.
        next.catch(() => undefined);
        yield reply.value;
        reply = await next;
      }
      return reply.value;
    } finally {
      thread.files.delete(file.file_no);
    }
  }

  /** Ends the threads, in the middle of their files if need be. */
  async close(): Promise<void> {
    this.#giveUp(new Error('the threads were ended'));
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(workerData: ReadingTask): Thread {
    const worker = new Worker(new URL('thread.ts', import.meta.url), {
      workerData,
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
      // Little garbage of its own keeps a thread from giving back the chunks it has inflated.
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on('message', (answer: Answer) => this.#settle(answer));
    worker.on('error', (error) => this.#giveUp(error as Error));
    worker.on('exit', () => this.#giveUp(new Error('a thread that reads files has ended')));
    return { worker, files: new Map() };
  }

  /** The thread that has the fewest bytes under way gets one more file. */
  #take({ file_no, byte_count }: ListedFile): Thread {
    const thread = this.#threads.reduce((a, b) => (bytesOf(b) < bytesOf(a) ? b : a));
    thread.files.set(file_no, byte_count);
    return thread;
  }

  #ask<Value extends Reply | string | undefined>(
    { worker }: Thread,
    asked: Question['asked'],
  ): Promise<Value> {
    if (this.#end) return Promise.reject(this.#end);
    const waiting = Promise.withResolvers<Value>();
    const question_no = (this.#question_no += 1);
    this.#waiting.set(question_no, waiting as unknown as Waiting);
    worker.postMessage({ question_no, asked } satisfies Question, []);
    return waiting.promise;
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.question_no);
    this.#waiting.delete(answer.question_no);
    if ('failure' in answer) waiting?.reject(revive(answer.failure));
    else waiting?.resolve(answer.value);
  }

  #giveUp(error: Error): void {
    this.#end ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#end);
    this.#waiting.clear();
  }
}

function bytesOf({ files }: Thread): number {
  return [...files.values()].reduce((sum, byte_count) => sum + byte_count, 0);
}

function revive({ isRefusal, message, stack }: ReadingFailure): Error {
  const error = isRefusal ? new Refusal(message) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
