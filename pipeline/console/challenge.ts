import { NothingToDo, WrongUsage } from '../errors.ts';
import { minute, print } from './print.ts';
import { withDatabase } from './session.ts';

type Challenge = Record<'challenge_id' | 'company_id', number> &
  Record<'user_ref' | 'field' | 'right_value' | 'evidence' | 'state' | 'created_at', string> &
  Record<'answer' | 'ended_at', string | null>;

/** `registry challenge list`: those that are open, the oldest first; with `all` also those that ended. */
export async function listChallenges(options: { all?: boolean; limit: string; json?: boolean }) {
  if (!/^\d{1,6}$/.test(options.limit))
    throw new WrongUsage(`--limit must be a whole number, not '${options.limit}'`);
  await withDatabase(async ({ pool }) => {
    const { rows } = await pool.query<{ challenge: Challenge }>(
      `select to_jsonb(challenge) - 'account_id' || jsonb_build_object('user_ref', user_ref)
         as challenge
       from customer.challenge
       join customer.account using (account_id)
       where $1 or state = 'open'
       order by challenge_id
       limit $2`,
      [options.all === true, options.limit],
    );
    const challenges = rows.map(({ challenge }) => challenge);
    if (options.json) print([JSON.stringify({ challenges })]);
    else if (challenges.length === 0) print(['No challenge is open']);
    else print(challenges.flatMap(describe));
  });
}

/** No line of a text looks like another challenge. */
function indent(text: string): string {
  return text.replaceAll('\n', '\n         ');
}

function describe(one: Challenge): string[] {
  const number = String(one.challenge_id).padStart(5);
  return [
    `${number}  ${minute(one.created_at)}  ${one.state.padEnd(8)}  company ${one.company_id}, ${one.field}, by ${one.user_ref}`,
    `       is right: ${indent(one.right_value)}`,
    `       evidence: ${indent(one.evidence)}`,
    ...(one.answer === null
      ? []
      : [`       answered ${minute(one.ended_at!)}: ${indent(one.answer)}`]),
  ];
}

/** Ends a challenge that is open; the same transaction writes the mail that brings the answer. */
export async function answerChallenge(
  id: string,
  options: { accept?: boolean; decline?: boolean; text?: string; json?: boolean },
): Promise<void> {
  const answer = options.text?.trim() ?? '';
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new WrongUsage(`'${id}' is no number of a challenge`);
  if (Boolean(options.accept) === Boolean(options.decline) || !answer || answer.length > 2000)
    throw new WrongUsage('Give --accept or --decline, and --text of at most 2,000 characters');
  const state = options.accept ? 'accepted' : 'declined';
  await withDatabase(async ({ pool }) => {
    const { rowCount } = await pool.query(
      `with ended as (
         update customer.challenge
         set state = $2, answer = $3, ended_at = $4
         where challenge_id = $1 and state = 'open'
         returning account_id
       )
       insert into customer.mail (mail_key, account_id, recipient, template, data, created_at)
       select concat('challenge ', $1::bigint), account_id, email, 'challenge',
         json_build_object('user_name', name, 'challenge_id', $1::bigint), $4
       from ended
       join customer.account using (account_id)`,
      [id, state, answer, new Date()],
    );
    if (rowCount === 0) throw new NothingToDo(`No challenge ${id} is open`);
    const done = `Challenge ${id} is ${state}; a mail brings the answer`;
    print([options.json ? JSON.stringify({ challenge_id: Number(id), state }) : done]);
  });
}
