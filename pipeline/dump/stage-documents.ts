import type { Pool, PoolClient } from 'pg';
import pLimit from 'p-limit';
import { inStage, runFile } from '../../sql/database.ts';
import { AnswerWriter } from './answer-writer.ts';
import type { DumpFile } from './files.ts';
import type { DocumentSource } from '../sources/source.ts';
import { saveFiles } from './stage.ts';

/** Files read in parallel: of many small ones most of the time is spent waiting for the disk. */
const PARALLEL_FILES = 4;

export interface DocumentStaging {
  pool: Pool;
  /** The schema of the tables of the night. */
  stage: string;
  source: DocumentSource;
  files: readonly DumpFile[];
  /** Called now and then with the answers read so far, and the bytes of the files that are done. */
  onProgress(answers: number, bytes: number): void;
}

/**
 * Reads every file of a dump of answers, all of each, and makes documents of them: what could be
 * read goes to `stage.answer`, and from there by the source's `collect.sql` to `stage.document` and,
 * normalised, to `stage.entry`; the rest to `stage.reject` and `stage.notice`.
 * Throws a `Refusal` when a file as a whole cannot be read.
 */
export async function stageDocuments(client: PoolClient, staging: DocumentStaging): Promise<void> {
  const { pool, stage, source, files } = staging;
  await saveFiles(client, stage, files);
  const writer = new AnswerWriter(client, pool, stage);
  try {
    await readFiles(writer, staging);
    await writer.end();
  } catch (error) {
    writer.abort(error as Error);
    throw error;
  }
  await client.query(`analyze ${stage}.answer`);
  await client.query(inStage(source.collection, stage)).catch((cause: Error) => {
    throw new Error(`sources/${source.name}/collect.sql: ${cause.message}`, { cause });
  });
  await runFile(client, 'nightly/1_read/documents.sql', undefined, stage);
  await client.query(
    inStage(
      `create view stage.record as select file_no, line, raw from stage.document;
      create view stage.mapped as ${source.mapping}`,
      stage,
    ),
  );
  const file_nos = files.map(({ file_no }) => file_no);
  await runFile(client, 'nightly/1_read/normalise.sql', [file_nos], stage);
}

async function readFiles(writer: AnswerWriter, staging: DocumentStaging): Promise<void> {
  const limit = pLimit(PARALLEL_FILES);
  const failure = new AbortController();
  let answers = 0;
  let bytes = 0;
  const tasks = staging.files.map((file) =>
    limit(async () => {
      failure.signal.throwIfAborted();
      for await (const answer of staging.source.readAnswers(file, failure.signal)) {
        failure.signal.throwIfAborted();
        await writer.write(file, answer);
        if (++answers % 1000 === 0) staging.onProgress(answers, bytes);
      }
      staging.onProgress(answers, (bytes += file.byte_count));
    }),
  );
  try {
    await Promise.all(tasks);
  } catch (error) {
    // Nothing may be written any more when the night is given up.
    failure.abort(error);
    await Promise.allSettled(tasks);
    throw error;
  }
}
