import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { type Database, queryFile } from '../../sql/connection/database.ts';
import { NothingToDo, WrongUsage } from '../errors.ts';
import { tryLock, whilePublishingWaits } from '../night/lock.ts';
import { stageOf } from '../night/sessions.ts';
import { listSources } from '../sources/source.ts';

export interface ForgetRequest {
  /** A NIP or REGON of the person, or the key of an entry. */
  wanted: string;
  /** Only the entries of this registry; absent: all that name the natural person. */
  source?: string | undefined;
  reason: string;
  by: string;
  now: Date;
}

export interface Forgotten {
  suppression_id: number;
  entry_count: number;
}

/** The digits of a number as people write it; of a REGON of a unit those of its company. */
export function digitsOf(wanted: string): string {
  const digits = wanted.replaceAll(/[ -]/g, '');
  return /^\d{14}$/.test(digits) ? digits.slice(0, 9) : digits;
}

/**
 * Suppresses a person in one transaction, which waits while a night publishes. Throws a `NothingToDo`
 * when nobody is named so, or is forgotten already.
 *
 * @param mailFolder where mails lie as files; those that name the person are deleted
 */
export async function forgetPerson(
  { pool }: Database,
  { wanted, source, reason, by, now }: ForgetRequest,
  mailFolder: string,
): Promise<Forgotten> {
  return whilePublishingWaits(pool, async (client) => {
    await requireOneCountry(client, wanted, source);
    type Row = { suppression_id: number | null; entry_count: number; names: string[] };
    const { rows } = await client.query<Row>(
      `select suppression_id::float8 as suppression_id, entry_count, names
       from person.forget($1, $2, $3, $4, $5, $6)`,
      [wanted, digitsOf(wanted), source ?? null, reason, by, now],
    );
    const { suppression_id, entry_count, names } = rows[0]!;
    if (suppression_id === null) {
      const outcome = entry_count > 0 ? 'is forgotten already' : 'names no natural person';
      const hint = source || entry_count > 0 ? '' : '; --source takes an entry of any kind';
      throw new NothingToDo(`'${wanted}' ${source ? `of ${source} ` : ''}${outcome}${hint}`);
    }
    await dropIdleTables(client);
    await deleteMailFiles(mailFolder, names);
    return { suppression_id, entry_count };
  });
}

/** Throws `WrongUsage` where the number names persons of several countries, of whom one is meant. */
export async function requireOneCountry(
  client: Pick<pg.ClientBase, 'query'>,
  wanted: string,
  source?: string,
): Promise<void> {
  const { rows } = await client.query<{ country_code: string }>(
    'select distinct country_code from person.find_entries($1, $2, $3) order by country_code',
    [wanted, digitsOf(wanted), source ?? null],
  );
  if (rows.length < 2) return;
  const countries = rows.map(({ country_code }) => country_code).join(' and ');
  throw new WrongUsage(`'${wanted}' names persons of ${countries}: --source says which`);
}

/** Lifts a request; the next dump that holds the records brings the data back, without events. */
export async function liftRequest({ pool }: Database, id: number, now: Date): Promise<void> {
  await whilePublishingWaits(pool, async (client) => {
    const lifted = await queryFile(client, 'person/lift.sql', [id, now]);
    if (lifted.length === 0) throw new NothingToDo(`There is no request ${id}, or it is lifted`);
  });
}

/** All requests, the oldest first, without a word of the persons. */
export async function listRequests({ pool }: Database) {
  type Row = {
    suppression_id: number;
    source: string | null;
    reason: string;
    requested_by: string;
    requested_at: string;
    entry_count: number;
    lifted_at: string | null;
  };
  const { rows } = await pool.query<{ request: Row }>(
    'select to_jsonb(suppression) as request from person.suppression order by suppression_id',
  );
  return rows.map(({ request }) => request);
}

/** Killed nights leave the tables that they read into; a night under way drops its own. */
async function dropIdleTables(client: pg.ClientBase): Promise<void> {
  for (const source of await listSources()) {
    if (!(await tryLock(client, source))) continue;
    await client.query(`drop schema if exists ${stageOf(source)} cascade`);
  }
}

async function deleteMailFiles(folder: string, names: readonly string[]): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  for (const file of files.filter((name) => name.endsWith('.txt'))) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    if (!names.some((name) => text.includes(name))) continue;
    await rm(path.replace(/txt$/, 'eml'), { force: true });
    await rm(path);
  }
}
