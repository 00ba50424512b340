import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DumpFile } from './dump.ts';
import type { KnownRecords } from './fingerprint.ts';
import { tableShape, type TableShape } from './layout.ts';
import type { FileCount, RecordBatch } from './read-file.ts';
import type {
  ReadingAnswer,
  ReadingFailure,
  ReadingKnowledge,
  ReadingQuestion,
  ReadingTask,
} from './reading-thread.ts';
import { Refusal } from './refusal.ts';

const MOST_THREADS = 4;
const YOUNG_MB = 4;
/** Less than this, packed, is read sooner than another thread has started. */
const BYTES_OF_A_THREAD = 4 * 1024 ** 2;
/** Where Node keeps modules compiled, which is most of what a thread does before it can read. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));

type Reply = IteratorResult<RecordBatch, FileCount>;

/** A thread, and the files that it has under way, by their number. */
interface Thread {
  worker: Worker;
  files: Set<number>;
}

/**
 * Threads that read the files of a dump side by side: inflating, splitting and fingerprinting take
 * all of a core. As many as the cores, but few for a small dump.
 */
export class ReadingThreads {
  readonly #threads: Thread[];
  /** By the number of the file: who waits for its next batch. */
  readonly #waiting = new Map<number, PromiseWithResolvers<Reply>>();
  /** Why no thread answers any more. */
  #end: Error | undefined;

  /** Starts the threads; they can read once they are told what is known. */
  constructor(source: TableShape, files: readonly DumpFile[]) {
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

  /** Tells yesterday's records, which are dropped: to be called before any file is read. */
  know({ table }: KnownRecords): void {
    for (const { worker } of this.#threads) {
      worker.postMessage({ known: table } satisfies ReadingKnowledge, []);
    }
  }

  /**
   * Reads a file in the thread that has the fewest under way. The next batch is read while the
   * caller has the one before it.
   * Throws a `Refusal` when the file as a whole cannot be read.
   */
  async *read(file: DumpFile): AsyncGenerator<RecordBatch, FileCount> {
    const thread = this.#threads.reduce((a, b) => (b.files.size < a.files.size ? b : a));
    thread.files.add(file.file_no);
    try {
      let reply = await this.#ask(thread, file);
      while (!reply.done) {
        const next = this.#ask(thread, file);
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
    const worker = new Worker(new URL('reading-thread.ts', import.meta.url), {
      workerData,
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
      // Little garbage of its own keeps a thread from giving back the chunks it has inflated.
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on('message', (answer: ReadingAnswer) => this.#settle(answer));
    worker.on('error', (error) => this.#giveUp(error as Error));
    worker.on('exit', () => this.#giveUp(new Error('a thread that reads files has ended')));
    return { worker, files: new Set() };
  }

  #ask({ worker }: Thread, file: DumpFile): Promise<Reply> {
    if (this.#end) return Promise.reject(this.#end);
    const waiting = Promise.withResolvers<Reply>();
    this.#waiting.set(file.file_no, waiting);
    worker.postMessage({ file } satisfies ReadingQuestion, []);
    return waiting.promise;
  }

  #settle(answer: ReadingAnswer): void {
    const waiting = this.#waiting.get(answer.file_no);
    this.#waiting.delete(answer.file_no);
    if ('result' in answer) waiting?.resolve(answer.result);
    else waiting?.reject(revive(answer.failure));
  }

  #giveUp(error: Error): void {
    this.#end ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#end);
    this.#waiting.clear();
  }
}

function revive({ isRefusal, message, stack }: ReadingFailure): Error {
  const error = isRefusal ? new Refusal(message) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
