import { z } from 'zod';
import type { Letter } from '../letter.ts';
import { greet, type LetterOptions, Superseded } from './options.ts';

const challengeData = z.object({ user_name: z.string(), challenge_id: z.int() });

interface Challenge {
  company_ref: string;
  field: string;
  state: string;
  answer: string;
  created_at: Date;
}

/** Brings the operator's answer. Its words lie with the challenge alone, where they can be erased. */
export async function writeChallengeLetter(
  { texts, client, baseUrl }: LetterOptions,
  data: unknown,
): Promise<Letter> {
  const { user_name, challenge_id } = challengeData.parse(data);
  const { rows } = await client.query<Challenge>(
    `select company_id as company_ref, field, state, answer, created_at
     from customer.challenge
     where challenge_id = $1 and answer <> ''`,
    [challenge_id],
  );
  const [found] = rows;
  if (!found) throw new Superseded('The challenge is gone');
  const { company_ref, field, state, answer, created_at } = found;
  const { challenge } = texts;
  return {
    subject: challenge.subject({ company_ref, state }),
    pieces: [
      { text: greet(texts, user_name) },
      { text: challenge.outcome({ company_ref, field, state, at: created_at }) },
      { code: answer },
      { text: challenge.next({ state }) },
      { code: `GET ${baseUrl}/api/v1/companies/${company_ref}/challenges` },
    ],
  };
}
