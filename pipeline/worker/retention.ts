import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { queryFile } from '../../sql/connection/database.ts';
import type { Environment } from '../environment.ts';
import { day_ms } from '../../sql/process/durations.ts';
import { retainedRows, webhookDelivery_days } from '../figures/retention-periods.ts';
import { mailFolder } from '../mail/transport.ts';
import { whilePublishingWaits } from '../night/lock.ts';

/**
 * Deletes ended mails, expired one-time tokens, and other rows older than their period in
 * `../figures/retention-periods.ts`. Each transaction of `erase_old.sql` changes a bounded number of rows.
 */
export async function applyRetention(pool: Pool, settings: Environment, now: Date) {
  const { DATA_DIR, inboxDir } = settings;
  const { MAIL_DAYS, REJECT_DAYS, IP_DAYS, LEDGER_DAYS, INBOX_DAYS, CLOSED_PERSON_DAYS } = settings;
  const before = (days: number) => new Date(now.getTime() - days * day_ms);
  type Counts = { mail_count: number; token_count: number };
  const done = [before(MAIL_DAYS), now];
  const [counts] = await queryFile<Counts>(pool, 'retention/delete_done.sql', done);
  const periods = [REJECT_DAYS, IP_DAYS, LEDGER_DAYS].map(before);
  const limits = [...periods, retainedRows, before(webhookDelivery_days)];
  const retain = () => queryFile<{ is_full: boolean }>(pool, 'retention/erase_old.sql', limits);
  while ((await retain())[0]!.is_full);
  if (CLOSED_PERSON_DAYS !== undefined) await hideClosed(pool, before(CLOSED_PERSON_DAYS));
  await deleteOldFiles(mailFolder(DATA_DIR), before(MAIL_DAYS));
  if (INBOX_DAYS !== undefined) await deletePublished(pool, inboxDir, before(INBOX_DAYS));
  return counts!;
}

/** Hides, in batches, the persons of entries that were closed before `before`. No night publishes during a batch. */
async function hideClosed(pool: Pool, before: Date): Promise<void> {
  const due = [before, retainedRows];
  const hideBatch = () =>
    whilePublishingWaits(pool, (client) =>
      queryFile<{ entry_count: number }>(client, 'retention/hide_closed_persons.sql', due),
    );
  while ((await hideBatch())[0]?.entry_count === retainedRows);
}

async function deleteOldFiles(folder: string, before: Date): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((file) => /\.(eml|txt)$/.test(file))) {
    const path = join(folder, name);
    if ((await stat(path)).mtime < before) await rm(path);
  }
}

/** Deletes the inbox folders of dumps that were published before a given time. Unpublished dumps stay. */
async function deletePublished(pool: Pool, inboxDir: string, before: Date): Promise<void> {
  const { rows } = await pool.query<{ source: string; dump_date: string }>(
    `select source, dump_date from registry.run where state = 'published' and finished_at < $1`,
    [before],
  );
  for (const { source, dump_date } of rows) {
    await rm(join(inboxDir, source, dump_date), { recursive: true, force: true });
  }
}
