import type { Database } from '../../sql/connection/database.ts';
import { NothingToDo, WrongUsage } from '../errors.ts';
import { minute, print } from './print.ts';
import { withDatabase } from './session.ts';

interface Row {
  challenge_id: number;
  user_ref: string;
  company_ref: string;
  field: string;
  right_value: string;
  evidence: string;
  state: string;
  answer: string | null;
  created_at: string;
  ended_at: string | null;
}

const columns = `challenge_id::float8 as challenge_id, user_ref, company_id as company_ref, field,
  right_value, evidence, state, answer, to_json(challenge.created_at)#>>'{}' as created_at,
  to_json(challenge.ended_at)#>>'{}' as ended_at`;

/** `registry challenge list`: those that are open, the oldest first; with `all` also those that ended. */
export async function listChallenges(options: { all?: boolean; limit: string; json?: boolean }) {
  if (!/^\d{1,6}$/.test(options.limit))
    throw new WrongUsage(`--limit must be a whole number, not '${options.limit}'`);
  await withDatabase(async ({ pool }) => {
    const { rows } = await pool.query<Row>(
      `select ${columns}
       from customer.challenge
       join customer.account using (account_id)
       where $1 or state = 'open'
       order by challenge_id
       limit $2`,
      [options.all === true, options.limit],
    );
    if (options.json) print([JSON.stringify({ challenges: rows })]);
    else if (rows.length === 0) print(['No challenge is open']);
    else print(rows.map(describeRow));
  });
}

function describeRow(row: Row): string {
  const number = String(row.challenge_id).padStart(5);
  return `${number}  ${minute(row.created_at)}  ${row.state.padEnd(9)} company ${row.company_ref}, ${row.field}, by ${row.user_ref}`;
}

export async function showChallenge(text: string, { json }: { json?: boolean }): Promise<void> {
  const challenge_id = readId(text);
  await withDatabase(async (db) => {
    const row = await findChallenge(db, challenge_id);
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

export interface AnswerOptions {
  accept?: boolean;
  decline?: boolean;
  text?: string;
  json?: boolean;
}

/** Ends a challenge that is open; the same transaction writes the mail that brings the answer. */
export async function answerChallenge(text: string, options: AnswerOptions): Promise<void> {
  const challenge_id = readId(text);
  const { accept, decline, json } = options;
  const answer = options.text?.trim() ?? '';
  if (Boolean(accept) === Boolean(decline) || answer === '' || answer.length > 2000)
    throw new WrongUsage('Give --accept or --decline, and --text of at most 2,000 characters');
  const state = accept ? 'accepted' : 'declined';
  await withDatabase(async (db) => {
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
    if (rowCount === 0) {
      const known = await findChallenge(db, challenge_id);
      throw new NothingToDo(`Challenge ${challenge_id} is ${known.state} already`);
    }
    const done = `Challenge ${challenge_id} is ${state}; a mail brings the answer`;
    print([json ? JSON.stringify({ challenge_id, state }) : done]);
  });
}

async function findChallenge({ pool }: Database, challenge_id: number): Promise<Row> {
  const { rows } = await pool.query<Row>(
    `select ${columns}
     from customer.challenge
     join customer.account using (account_id)
     where challenge_id = $1`,
    [challenge_id],
  );
  if (!rows[0]) throw new WrongUsage(`There is no challenge ${challenge_id}`);
  return rows[0];
}

function readId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new WrongUsage(`'${text}' is no number of a challenge`);
  return Number(text);
}
