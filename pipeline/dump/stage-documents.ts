import { escapeIdentifier } from 'pg';
import { insertRows, inSession, inStage, runFile } from '../../sql/connection/database.ts';
import { Refusal } from '../errors.ts';
import { maskedJson } from '../sources/personal-number.ts';
import type { DocumentSource } from '../sources/source.ts';
import { reads } from '../figures/dump-reading-limits.ts';
import { shorten, type UnreadableRow } from '../sources/rejects.ts';
import { copyBatches, CopyLines } from './copy-lines.ts';
import { normalise } from './normalise.ts';
import { BATCH_BYTES } from './stage-rows.ts';
import { saveFiles } from './stage.ts';
import type { Staging } from './staging.ts';
import { figure } from '../written-figure.ts';

/**
 * Reads a dump that consists of a registry's answers into `stage.answer`. The `collect*.sql` of the source turns
 * answers into documents, which `normalise` turns into rows of `stage.entry`. Unreadable answers are saved to
 * `stage.reject`, other outcomes to `stage.notice`. Throws a `Refusal` for an unreadable file.
 */
export async function stageDocuments(staging: Staging<DocumentSource>): Promise<void> {
  const { client, stage, source, files } = staging;
  await saveFiles(staging);
  const columns = ['file_no', 'line', 'answer', 'raw'];
  await copyBatches(client, `${stage}.answer`, columns, readAnswers(staging));
  await client.query(inStage(source.collection, stage)).catch((cause: Error) => {
    throw new Error(`sources/${source.name}/collect.sql: ${cause.message}`, { cause });
  });
  await runFile(client, 'nightly/1_read/count_documents.sql', undefined, stage);
  const record_columns = (source.record_columns ?? []).map(
    (name) => `${escapeIdentifier(name)} text`,
  );
  await client.query(
    inStage(
      `create view stage.record as
      select
        document.file_no, document.line, document.raw, null::bigint as fingerprint,
        false as is_well_formed, record.*
      from stage.document
      cross join lateral jsonb_to_record(document.document)
        as record (${[...record_columns, 'details jsonb'].join(', ')});
      create view stage.mapped as ${source.mapping}`,
      stage,
    ),
  );
  const file_nos = files.map(({ file_no }) => file_no);
  await normalise(staging, file_nos);
}

/** Yields readable answers as batches of COPY lines for `stage.answer`. Saves unreadable answers to `stage.reject`. */
async function* readAnswers(staging: Staging<DocumentSource>): AsyncGenerator<Buffer> {
  const { pool, stage, source, files, onProgress } = staging;
  const rejects: UnreadableRow[] = [];
  const lines = new CopyLines();
  const read = { answers: 0, bytes: 0 };
  const onRead = (bytes: number) => onProgress(read.answers, (read.bytes += bytes));
  for (const { file_no, file, path } of files) {
    let unreadable_count = 0;
    for await (const answer of source.readAnswers({ path, file, onRead })) {
      const { line, raw } = answer;
      if ('answer' in answer) {
        lines.addFields(`${file_no};${line};`, [maskedJson(answer.answer), raw]);
        if (lines.length >= BATCH_BYTES) yield lines.take();
      } else {
        const { reject_code, reason } = answer;
        unreadable_count += 1;
        if (unreadable_count > reads.unreadableRows) {
          throw new Refusal(
            `${file}: more than ${figure(reads.unreadableRows)} answers of it cannot be read; ` +
              `of the last one, in line ${line}: ${reason}`,
          );
        }
        rejects.push({ file_no, line, reject_code, reason: shorten(reason), raw });
        if (rejects.length >= reads.rejectBatch)
          await inSession(pool, (client) =>
            insertRows(client, `${stage}.reject`, rejects.splice(0)),
          );
      }
      read.answers += 1;
    }
  }
  onRead(0);
  yield lines.take();
  await inSession(pool, (client) => insertRows(client, `${stage}.reject`, rejects));
}
