import type { Database } from '../../sql/connection/database.ts';
import { NothingToDo, WrongUsage } from '../errors.ts';
import { minute, print } from './print.ts';
import { withDatabase } from './session.ts';

type Row = Record<'challenge_id' | 'company_id', number> &
  Record<'user_ref' | 'field' | 'right_value' | 'evidence' | 'state' | 'created_at', string> &
  Record<'answer' | 'ended_at', string | null>;

/** Challenges as the table has them, with the account's reference, the oldest first. */
async function readChallenges({ pool }: Database, where: string, values: unknown[]) {
  const { rows } = await pool.query<{ row: Row }>(
    `select to_jsonb(challenge) - 'account_id' || jsonb_build_object('user_ref', user_ref) as row
     from customer.challenge
     join customer.account using (account_id)
     where ${where}
     order by challenge_id`,
    values,
  );
  return rows.map(({ row }) => row);
}

/** `registry challenge list`: those that are open, the oldest first; with `all` also those that ended. */
export async function listChallenges(options: { all?: boolean; limit: string; json?: boolean }) {
  if (!/^\d{1,6}$/.test(options.limit))
    throw new WrongUsage(`--limit must be a whole number, not '${options.limit}'`);
  const newest = `challenge_id in (select challenge_id from customer.challenge
    where $1 or state = 'open' order by challenge_id limit $2)`;
  await withDatabase(async (db) => {
    const rows = await readChallenges(db, newest, [options.all === true, options.limit]);
    if (options.json) print([JSON.stringify({ challenges: rows })]);
    else if (rows.length === 0) print(['No challenge is open']);
    else print(rows.map(describeRow));
  });
}

function describeRow(row: Row): string {
  const number = String(row.challenge_id).padStart(5);
  return `${number}  ${minute(row.created_at)}  ${row.state.padEnd(9)} company ${row.company_id}, ${row.field}, by ${row.user_ref}`;
}

export async function showChallenge(text: string, { json }: { json?: boolean }): Promise<void> {
  await withDatabase(async (db) => {
    const row = await findChallenge(db, text);
    const { right_value, evidence, answer, ended_at } = row;
    const lines = [
      describeRow(row).trim(),
      `  is right: ${right_value}`,
      `  evidence: ${evidence.replaceAll('\n', '\n    ')}`,
      ...(answer === null ? [] : [`  answered ${minute(ended_at!)}: ${answer}`]),
    ];
    print(json ? [JSON.stringify(row)] : lines);
  });
}

/** Ends a challenge that is open; the same transaction writes the mail that brings the answer. */
export async function answerChallenge(
  text: string,
  options: { accept?: boolean; decline?: boolean; text?: string; json?: boolean },
): Promise<void> {
  const answer = options.text?.trim() ?? '';
  if (Boolean(options.accept) === Boolean(options.decline) || !answer || answer.length > 2000)
    throw new WrongUsage('Give --accept or --decline, and --text of at most 2,000 characters');
  const state = options.accept ? 'accepted' : 'declined';
  await withDatabase(async (db) => {
    const { challenge_id, ...known } = await findChallenge(db, text);
    const { rowCount } = await db.pool.query(
      `with ended as (
         update customer.challenge
         set state = $2, answer = $3, ended_at = $4
         where challenge_id = $1 and state = 'open'
         returning account_id
       )
       insert into customer.mail (mail_key, account_id, recipient, template, data, created_at)
       select concat('challenge ', $1), account_id, email, 'challenge',
         json_build_object('user_name', name, 'challenge_id', $1), $4
       from ended
       join customer.account using (account_id)`,
      [challenge_id, state, answer, new Date()],
    );
    if (rowCount === 0)
      throw new NothingToDo(`Challenge ${challenge_id} is ${known.state} already`);
    const done = `Challenge ${challenge_id} is ${state}; a mail brings the answer`;
    print([options.json ? JSON.stringify({ challenge_id, state }) : done]);
  });
}

async function findChallenge(db: Database, text: string): Promise<Row> {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new WrongUsage(`'${text}' is no number of a challenge`);
  const [row] = await readChallenges(db, 'challenge_id = $1', [text]);
  if (!row) throw new WrongUsage(`There is no challenge ${text}`);
  return row;
}
