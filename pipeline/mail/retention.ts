import type pg from 'pg';
import { runFile } from '../../sql/database.ts';

/** How long ended mails and expired one-time tokens are kept. */
const RETENTION_DAYS = 30;

/** Deletes mails that ended, and one-time tokens that expired, more than 30 days ago. */
export async function deleteDone(
  pool: pg.Pool,
  now: Date,
): Promise<{ mail_count: number; token_count: number }> {
  const before = new Date(now.getTime() - RETENTION_DAYS * 86_400_000);
  const [result] = await runFile(pool, 'mail/delete_done.sql', [before]);
  return result!.rows[0] as { mail_count: number; token_count: number };
}
