import type pg from 'pg';
import { z } from 'zod';
import { runFile } from '../../sql/database.ts';
import { type IssuedToken, signOneTimeToken } from '../../sql/secrets/one-time-token.ts';
import type { Letter } from './letter.ts';

/** What the API leaves for a mail with a one-time token. */
const tokenMailData = z.object({ one_time_token_id: z.uuid(), user_name: z.string() });

/** What letters are written with. */
export interface LetterOptions {
  client: pg.ClientBase;
  /** Signs one-time tokens. */
  secretKey: string;
  /** Where the API is reached, without a slash at the end. */
  baseUrl: string;
  now: Date;
}

/** There is no use for a mail any more; the message says why. */
export class Superseded extends Error {
  override name = 'Superseded';
}

/** A one-time token as it is mailed. */
interface MailedToken {
  jwt: string;
  expires_at: Date;
  user_name: string;
}

/** Brings the one-time token with which an account that was registered is initialised. */
export async function writeInitLetter(options: LetterOptions, data: unknown): Promise<Letter> {
  const { jwt, expires_at, user_name } = await takeToken(options, data, 'init');
  const url = `${options.baseUrl}/api/v1/auth/init`;
  return {
    subject: 'Your one-time token for the Company Registry API',
    pieces: [
      { text: greet(user_name) },
      {
        text: `Your account of the Company Registry API is registered. One step is left: exchange this one-time token for your Master Token. It works once, until ${describeMoment(expires_at)}.`,
      },
      { code: jwt },
      { text: 'For example with curl:' },
      {
        code: `curl -X POST ${url} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"token":"${jwt}"}'`,
      },
      {
        text: 'The answer shows your Master Token, once: keep it where you keep your passwords.',
      },
      {
        text: 'If you have not registered, ignore this mail: without the token above nothing happens.',
      },
    ],
  };
}

/** Brings the link that confirms a recovery. */
export async function writeRecoverLetter(options: LetterOptions, data: unknown): Promise<Letter> {
  const { jwt, expires_at, user_name } = await takeToken(options, data, 'recover');
  return {
    subject: 'Recover your Company Registry API account',
    pieces: [
      { text: greet(user_name) },
      {
        text: `Somebody, hopefully you, has asked to recover your account of the Company Registry API. Open this page to confirm it; the link works once, until ${describeMoment(expires_at)}.`,
      },
      { link: `${options.baseUrl}/recover?token=${jwt}`, label: 'Confirm the recovery' },
      {
        text: 'The page asks for the new password that was chosen with the request. It then shows a new Master Token, and every token you have now stops working.',
      },
      {
        text: 'If you have not asked for this, ignore this mail: as long as nobody confirms it, your password and your tokens stay as they are.',
      },
    ],
  };
}

/** Throws `Superseded` when the token is of no use any more. */
async function takeToken(
  { client, secretKey, now }: LetterOptions,
  data: unknown,
  purpose: IssuedToken['purpose'],
): Promise<MailedToken> {
  const { one_time_token_id, user_name } = tokenMailData.parse(data);
  const [result] = await runFile(client, 'mail/one_time_token.sql', [one_time_token_id, now]);
  const token = result!.rows[0] as (IssuedToken & { ending: string | null }) | undefined;
  if (token?.purpose !== purpose) throw new Superseded(`There is no such ${purpose} token`);
  if (token.ending) throw new Superseded(`The one-time token ${token.ending}`);
  return { jwt: signOneTimeToken(secretKey, token), expires_at: token.expires_at, user_name };
}

/** @returns such as `21 November 2026, 10:05 UTC` */
export function describeMoment(moment: Date): string {
  const day = moment.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return `${day}, ${moment.toISOString().slice(11, 16)} UTC`;
}

/** How a letter begins. */
export function greet(name: string): string {
  return isPresentable(name) ? `Hello ${name},` : 'Hello,';
}

/**
 * Whether a name may stand in a mail. Anybody can register a stranger's address: what mail programs
 * would make a link of, or could be taken for a text of ours, is left out.
 */
export function isPresentable(name: string): boolean {
  return name.length <= 100 && !/[/@:\p{C}\p{Zl}\p{Zp}]|\.\p{L}{2}/u.test(name);
}
