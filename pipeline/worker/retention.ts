import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { queryFile } from '../../sql/connection/database.ts';
import type { Environment } from '../environment.ts';
import { mailFolder } from '../mail/transport.ts';
import { whilePublishingWaits } from '../night/lock.ts';

const day_ms = 86_400_000;
/** Rows of a kind in one transaction, so that nothing waits long for it. */
const batchSize = 10_000;

export interface RetentionOptions extends Pick<Environment, 'dataDir' | 'inboxDir' | 'retention'> {
  pool: pg.Pool;
  now: Date;
}

/** Deletes what is done, and what is older than its period, in bounded batches. */
export async function applyRetention(options: RetentionOptions) {
  const { pool, now, dataDir, inboxDir, retention } = options;
  const { mail_days, reject_days, ip_days, ledger_days } = retention;
  const { inbox_days, closed_person_days } = retention;
  const before = (days: number) => new Date(now.getTime() - days * day_ms);
  type Counts = { mail_count: number; token_count: number };
  const done = [before(mail_days), now];
  const [counts] = await queryFile<Counts>(pool, 'mail/delete_done.sql', done);
  const limits = [reject_days, ip_days, ledger_days].map(before);
  const retain = 'select person.retain($1, $2, $3, $4)';
  while (await isTrue(pool, retain, [...limits, batchSize]));
  if (closed_person_days !== undefined) await withdrawClosed(pool, before(closed_person_days));
  await deleteOldFiles(mailFolder(dataDir), before(mail_days));
  if (inbox_days !== undefined) await deletePublished(pool, inboxDir, before(inbox_days));
  return counts!;
}

async function isTrue(
  pool: Pick<pg.Pool, 'query'>,
  query: string,
  values: unknown[],
): Promise<boolean> {
  const { rows } = await pool.query<{ is_true: boolean }>(`select (${query}) as is_true`, values);
  return rows[0]!.is_true;
}

/** Batches wait for nights, and let nights go between them. */
async function withdrawClosed(pool: pg.Pool, before: Date): Promise<void> {
  const withdraw = 'select person.withdraw_closed($1, $2) = $2';
  const withdrawBatch = () =>
    whilePublishingWaits(pool, (client) => isTrue(client, withdraw, [before, batchSize]));
  while (await withdrawBatch());
}

async function deleteOldFiles(folder: string, before: Date): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((file) => /\.(eml|txt)$/.test(file))) {
    const path = join(folder, name);
    if ((await stat(path)).mtime < before) await rm(path);
  }
}

/** Deletes the folders of dumps that were published before a moment; no other folder. */
async function deletePublished(pool: pg.Pool, inboxDir: string, before: Date): Promise<void> {
  const { rows } = await pool.query<{ source: string; dump_date: string }>(
    `select source, dump_date from registry.run where state = 'published' and finished_at < $1`,
    [before],
  );
  for (const { source, dump_date } of rows) {
    await rm(join(inboxDir, source, dump_date), { recursive: true, force: true });
  }
}
