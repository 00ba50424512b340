import { z } from 'zod';
import { queryFile } from '../../../sql/connection/database.ts';
import { type IssuedToken, signOneTimeToken } from '../../../sql/secrets/signed-token.ts';
import type { Letter } from '../letter.ts';
import { greet, type LetterOptions, Superseded } from './options.ts';

/** Returns the address of a page with a token. The part after the # stays in the browser: no server logs it. */
function linkTo(page: string, { baseUrl }: LetterOptions, jwt: string): string {
  return `${baseUrl}/${page}=${jwt}`;
}

const initData = z.object({ one_time_token_id: z.uuid() });

/**
 * Writes the mail with the one-time token that initializes an account. The mail names nobody: its reader may be
 * a stranger.
 */
export async function writeInitLetter(options: LetterOptions, data: unknown): Promise<Letter> {
  const { one_time_token_id } = initData.parse(data);
  const { jwt, until } = await takeToken(options, one_time_token_id, 'init');
  const { common, init } = options.texts;
  const url = `${options.baseUrl}/api/v1/auth/init`;
  return {
    subject: init.subject(),
    pieces: [
      { text: common.greeting() },
      { text: init.task({ until }) },
      { link: linkTo('console#init', options, jwt), label: init.open() },
      { text: init.outcome() },
      { text: init.program() },
      { code: jwt },
      {
        code: `curl -X POST ${url} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"token":"${jwt}"}'`,
      },
      { text: init.ignore() },
    ],
  };
}

const recoverData = initData.extend({ user_name: z.string() });

export async function writeRecoverLetter(options: LetterOptions, data: unknown): Promise<Letter> {
  const { one_time_token_id, user_name } = recoverData.parse(data);
  const { jwt, until } = await takeToken(options, one_time_token_id, 'recover');
  const { recover } = options.texts;
  return {
    subject: recover.subject(),
    pieces: [
      { text: greet(options.texts, user_name) },
      { text: recover.task({ until }) },
      { link: linkTo('recover#token', options, jwt), label: recover.confirm() },
      { text: recover.outcome() },
      { text: recover.ignore() },
    ],
  };
}

const recoveredData = z.object({ user_name: z.string(), recovered_at: z.iso.datetime() });

export function writeRecoveredLetter({ texts, baseUrl }: LetterOptions, data: unknown): Letter {
  const { user_name, recovered_at } = recoveredData.parse(data);
  return {
    subject: texts.recovered.subject(),
    pieces: [
      { text: greet(texts, user_name) },
      { text: texts.recovered.done({ at: new Date(recovered_at) }) },
      { text: texts.recovered.alarm() },
      { code: `POST ${baseUrl}/api/v1/auth/recover` },
    ],
  };
}

/** Returns a one-time token with its expiry. Throws `Superseded` when the token is used, cancelled or expired. */
async function takeToken(
  { client, secretKey, now }: LetterOptions,
  one_time_token_id: string,
  purpose: IssuedToken['purpose'],
): Promise<{ jwt: string; until: Date }> {
  type Token = IssuedToken & { ending: string | null };
  const asked = [one_time_token_id, now];
  const [token] = await queryFile<Token>(client, 'mail/read_token.sql', asked);
  if (token?.purpose !== purpose) throw new Superseded(`There is no such ${purpose} token`);
  if (token.ending) throw new Superseded(`The one-time token ${token.ending}`);
  return { jwt: signOneTimeToken(secretKey, token), until: token.expires_at };
}
