import { queryFile } from '../../../sql/connection/database.ts';
import { type IssuedToken, signOneTimeToken } from '../../../sql/secrets/signed-token.ts';
import { type Letter, type LetterOptions, Superseded } from '../letter.ts';

/** The data that the API stores in `customer.mail` for a mail with a one-time token. */
interface TokenData {
  one_time_token_id: string;
}

/** Writes the mail with the token that activates a new account. The mail names nobody: a stranger may receive it. */
export async function writeInitLetter(options: LetterOptions, data: TokenData): Promise<Letter> {
  const { jwt, until } = await takeToken(options, data);
  const { baseUrl, texts } = options;
  const { init } = texts;
  const url = `${baseUrl}/api/v1/auth/init`;
  return {
    subject: init.subject(),
    pieces: [
      { text: init.task({ until }) },
      // Browsers do not send the part of a URL after `#`, so no server logs the token.
      { link: `${baseUrl}/console#init=${jwt}`, label: init.open() },
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

export async function writeRecoverLetter(options: LetterOptions, data: TokenData): Promise<Letter> {
  const { jwt, until } = await takeToken(options, data);
  const { recover } = options.texts;
  return {
    subject: recover.subject(),
    pieces: [
      { text: recover.task({ until }) },
      { link: `${options.baseUrl}/recover#token=${jwt}`, label: recover.confirm() },
      { text: recover.outcome() },
      { text: recover.ignore() },
    ],
  };
}

export function writeRecoveredLetter(
  { texts, baseUrl }: LetterOptions,
  { recovered_at }: { recovered_at: string },
): Letter {
  return {
    subject: texts.recovered.subject(),
    pieces: [
      { text: texts.recovered.done({ at: new Date(recovered_at) }) },
      { text: texts.recovered.alarm() },
      { code: `POST ${baseUrl}/api/v1/auth/recover` },
    ],
  };
}

/** Returns a one-time token with its expiry. Throws `Superseded` when the token is used, cancelled or expired. */
async function takeToken(
  { client, secretKey, now }: LetterOptions,
  { one_time_token_id }: TokenData,
): Promise<{ jwt: string; until: Date }> {
  type Token = IssuedToken & { ending: string | null };
  const asked = [one_time_token_id, now];
  const [token] = await queryFile<Token>(client, 'mail/read_token.sql', asked);
  if (!token || token.ending)
    throw new Superseded(`The one-time token ${token?.ending ?? 'is gone'}`);
  return { jwt: signOneTimeToken(secretKey, token), until: token.expires_at };
}
