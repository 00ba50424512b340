import type { Pool, PoolClient } from 'pg';
import pLimit from 'p-limit';
import { runFile } from '../../sql/database.ts';
import { AnswerWriter } from './answer-writer.ts';
import type { DumpFile } from './files.ts';
import type { DocumentSource } from '../sources/source.ts';
import { saveFiles } from './stage.ts';

/** Files read side by side: of many small ones most of the time is spent waiting for the disk. */
const PARALLEL_FILES = 4;

export interface DocumentStaging {
  pool: Pool;
  source: DocumentSource;
  files: readonly DumpFile[];
  /** Called now and then with the answers read so far and the files that are done. */
  onProgress(answers: number, files: number): void;
}

/**
 * Reads every file of a dump of answers, all of each, and makes documents of them: what could be
 * read goes to `stage.answer`, and from there by the source's `collect.sql` to `stage.document` and,
 * normalised, to `stage.entry`; the rest to `stage.reject` and `stage.notice`.
 * Throws a `Refusal` when a file as a whole cannot be read.
 */
export async function stageDocuments(client: PoolClient, staging: DocumentStaging): Promise<void> {
  const { pool, source, files } = staging;
  await saveFiles(client, files);
  const writer = new AnswerWriter(client, pool);
  try {
    await readFiles(writer, staging);
    await writer.end();
  } catch (error) {
    writer.abort(error as Error);
    throw error;
  }
  await client.query('analyze stage.answer');
  await client.query(source.collection).catch((cause: Error) => {
    throw new Error(`sources/${source.name}/collect.sql: ${cause.message}`, { cause });
  });
  await runFile(client, 'nightly/1_documents.sql');
  await client.query(`
    create view stage.record as select file_no, line, raw from stage.document;
    create view stage.mapped as ${source.mapping}`);
  await runFile(client, 'nightly/1a_normalise.sql', [files.map(({ file_no }) => file_no)]);
}

async function readFiles(writer: AnswerWriter, staging: DocumentStaging): Promise<void> {
  const limit = pLimit(PARALLEL_FILES);
  const failure = new AbortController();
  let answers = 0;
  let done = 0;
  const tasks = staging.files.map((file) =>
    limit(async () => {
      failure.signal.throwIfAborted();
      for await (const answer of staging.source.readAnswers(file, failure.signal)) {
        failure.signal.throwIfAborted();
        await writer.write(file, answer);
        if (++answers % 1000 === 0) staging.onProgress(answers, done);
      }
      staging.onProgress(answers, ++done);
    }),
  );
  try {
    await Promise.all(tasks);
  } catch (error) {
    // Nobody may still write when we leave.
    failure.abort(error);
    await Promise.allSettled(tasks);
    throw error;
  }
}
