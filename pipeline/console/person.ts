import { queryFile } from '../../sql/connection/database.ts';
import { NothingToDo, WrongUsage } from '../errors.ts';
import { figure } from '../figure.ts';
import {
  digitsOf,
  forgetPerson,
  liftRequest,
  listRequests,
  requireOneCountry,
} from '../person/forget.ts';
import { loadSource } from '../sources/source.ts';
import { mailFolder } from '../mail/transport.ts';
import { minute, print } from './print.ts';
import { withDatabase } from './session.ts';

interface ForgetOptions {
  source?: string;
  reason?: string;
  by?: string;
  list?: boolean;
  undo?: string;
  json?: boolean;
}

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
    const now = new Date();
    if (list) {
      const requests = await listRequests(db);
      if (json) print([JSON.stringify({ requests })]);
      else if (requests.length === 0) print(['Nobody has asked yet']);
      else print(requests.map(describeRequest));
    } else if (undo !== undefined) {
      await liftRequest(db, Number(undo), now);
      const text = `Request ${undo} is lifted: the next dump that holds the records brings them back`;
      print([json ? JSON.stringify({ suppression_id: Number(undo) }) : text]);
    } else {
      const request = { wanted: wanted!.trim(), source, reason: reason!, by: by!, now };
      const forgotten = await forgetPerson(db, request, mailFolder(environment.dataDir));
      const { suppression_id, entry_count } = forgotten;
      const text = `Request ${suppression_id}: ${figure(entry_count)} entries are withdrawn, and stay so`;
      print([json ? JSON.stringify(forgotten) : text]);
    }
  });
}

function describeRequest(request: Awaited<ReturnType<typeof listRequests>>[number]): string {
  const { suppression_id, source, entry_count, requested_at, requested_by, reason } = request;
  const lifted = request.lifted_at ? `, lifted ${minute(request.lifted_at)}` : '';
  return `${String(suppression_id).padStart(5)}  ${minute(requested_at)}  ${(source ?? 'all').padEnd(8)} ${figure(entry_count)} entries, asked by ${requested_by}: ${reason}${lifted}`;
}

/** `registry person`: prints one JSON object, or says that nothing is stored. */
export async function describePerson(wanted: string, source?: string): Promise<void> {
  if (source !== undefined) await loadSource(source);
  await withDatabase(async (db) => {
    await requireOneCountry(db.pool, wanted, source);
    const [stored] = await queryFile<{ person: string }>(db.pool, 'person/describe.sql', [
      wanted,
      digitsOf(wanted),
      source,
    ]);
    if (!stored) throw new NothingToDo(`Nothing is stored of a natural person '${wanted}'`);
    // The text has hashes of 64 bits to their last digit.
    print([stored.person]);
  });
}
