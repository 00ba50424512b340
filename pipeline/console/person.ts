import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { type Database, queryFile } from '../../sql/connection/database.ts';
import { NothingToDo, WrongUsage } from '../errors.ts';
import { figure } from '../written-figure.ts';
import { mailFolder } from '../mail/transport.ts';
import { whilePublishingWaits } from '../night/lock.ts';
import { dropIdleTables } from '../night/run-rows.ts';
import { listSources, loadSource } from '../sources/source.ts';
import { answer, minute, print } from './print.ts';
import { withDatabase } from './session.ts';

interface ForgetOptions {
  source?: string;
  reason?: string;
  by?: string;
  list?: boolean;
  undo?: string;
  json?: boolean;
}

/** Runs `registry forget`: hides a person, lists the requests to hide persons, or lifts one request. */
export async function forget(wanted: string | undefined, options: ForgetOptions): Promise<void> {
  const { source, reason, by, list, undo, json } = options;
  const wanting = [wanted, list, undo].filter((given) => given !== undefined);
  if (wanting.length !== 1) throw new WrongUsage('Give a number or key, or --list, or --undo <id>');
  if (source !== undefined) await loadSource(source);
  if (undo !== undefined && !/^[1-9]\d{0,14}$/.test(undo))
    throw new WrongUsage(`'${undo}' is no id of a request; --list shows them`);
  const isAsked = wanted !== undefined;
  if (isAsked && (wanted.trim() === '' || !reason?.trim() || !by?.trim()))
    throw new WrongUsage('A number or key needs --reason and --by, which are kept');
  await withDatabase(async (db, { environment }) => {
    if (list) await listRequests(db, json);
    else if (undo !== undefined) await liftRequest(db, Number(undo), json);
    else {
      const request = { wanted: wanted!.trim(), source, reason: reason!, by: by!, now: new Date() };
      const forgotten = await forgetPerson(db, request, mailFolder(environment.DATA_DIR));
      const { suppression_id, entry_count } = forgotten;
      const text = `Request ${suppression_id}: ${figure(entry_count)} entries are withdrawn, and stay so`;
      answer(json, forgotten, [text]);
    }
  });
}

/** Prints all requests to hide persons, the oldest first. A request contains no data of the hidden person. */
async function listRequests({ pool }: Database, json?: boolean): Promise<void> {
  type Request = Record<'suppression_id' | 'entry_count', number> &
    Record<'requested_at' | 'requested_by' | 'reason', string> &
    Record<'source' | 'lifted_at', string | null>;
  const { rows } = await pool.query<{ request: Request }>(
    'select to_jsonb(suppression) as request from person.suppression order by suppression_id',
  );
  const lines = rows.map(({ request }) => {
    const { suppression_id, source, entry_count, requested_at, requested_by, reason } = request;
    const lifted = request.lifted_at ? `, lifted ${minute(request.lifted_at)}` : '';
    return `${String(suppression_id).padStart(5)}  ${minute(requested_at)}  ${(source ?? 'all').padEnd(8)} ${figure(entry_count)} entries, asked by ${requested_by}: ${reason}${lifted}`;
  });
  const requests = rows.map(({ request }) => request);
  answer(json, { requests }, rows.length === 0 ? ['Nobody has asked yet'] : lines);
}

/** Lifts a request to hide a person. The next dump with the person's records restores the data, without events. */
async function liftRequest({ pool }: Database, id: number, json?: boolean): Promise<void> {
  const lifted = await whilePublishingWaits(pool, (client) =>
    queryFile(client, 'person/lift.sql', [id, new Date()]),
  );
  if (lifted.length === 0) throw new NothingToDo(`There is no request ${id}, or it is lifted`);
  const text = `Request ${id} is lifted: the next dump that holds the records brings them back`;
  answer(json, { suppression_id: id }, [text]);
}

/**
 * Runs `registry person`: prints all stored data of a person as one JSON object; without data, throws `NothingToDo`.
 */
export async function describePerson(wanted: string, source?: string): Promise<void> {
  if (source !== undefined) await loadSource(source);
  await withDatabase(async ({ pool }) => {
    await requireOneCountry(pool, wanted, source);
    const asked = [wanted, digitsOf(wanted), source];
    const [stored] = await queryFile<{ person: string }>(pool, 'person/describe.sql', asked);
    if (!stored) throw new NothingToDo(`Nothing is stored of a natural person '${wanted}'`);
    // The JSON text is printed unparsed: `JSON.parse` would round the 64-bit hashes in the text.
    print([stored.person]);
  });
}

export interface ForgetRequest {
  /** The NIP or REGON of the person, or the key of an entry (its identifier within one registry). */
  wanted: string;
  /** The registry whose entries are hidden. Without `source`, all entries that name the natural person are hidden. */
  source?: string | undefined;
  reason: string;
  by: string;
  now: Date;
}

/**
 * Hides a person in one transaction, which starts when no night is comparing or publishing. Throws `NothingToDo` when
 * `wanted` identifies no natural person, or identifies a person who is hidden already.
 *
 * @param folder the folder with files of mails; deletes files that name the person
 */
export async function forgetPerson(
  { pool }: Pick<Database, 'pool'>,
  { wanted, source, reason, by, now }: ForgetRequest,
  folder: string,
): Promise<{ suppression_id: number; entry_count: number }> {
  return whilePublishingWaits(pool, async (client) => {
    await requireOneCountry(client, wanted, source);
    type Row = { suppression_id: number | null; entry_count: number; names: string[] };
    const asked = [wanted, digitsOf(wanted), source, reason, by, now];
    const [found] = await queryFile<Row>(client, 'person/forget.sql', asked);
    const { suppression_id, entry_count, names } = found!;
    if (suppression_id === null) {
      const outcome = entry_count > 0 ? 'is forgotten already' : 'names no natural person';
      const hint = source || entry_count > 0 ? '' : '; --source takes an entry of any kind';
      throw new NothingToDo(`'${wanted}' ${source ? `of ${source} ` : ''}${outcome}${hint}`);
    }
    for (const one of await listSources()) await dropIdleTables(client, one);
    await deleteMailFiles(folder, names);
    return { suppression_id, entry_count };
  });
}

/** Returns an identifier without spaces and hyphens. Shortens the 14-digit REGON of a local unit to 9 digits. */
function digitsOf(wanted: string): string {
  return wanted.replaceAll(/[ -]/g, '').replace(/^(\d{9})\d{5}$/, '$1');
}

/** Throws `WrongUsage` when `wanted` identifies persons in several countries, since a request hides one person. */
async function requireOneCountry(
  client: Pick<ClientBase, 'query'>,
  wanted: string,
  source?: string,
): Promise<void> {
  const { rows } = await client.query<{ country_code: string }>(
    'select distinct country_code from person.find_entries($1, $2, $3) order by country_code',
    [wanted, digitsOf(wanted), source ?? null],
  );
  if (rows.length < 2) return;
  const countries = rows.map(({ country_code }) => country_code).join(' and ');
  throw new WrongUsage(`'${wanted}' names persons of ${countries}: choose one with --source`);
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
