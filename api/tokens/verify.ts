import { z } from 'zod';
import { model, text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { formatOptional } from '../http/timestamp.ts';
import { answersWith, viewAnswer } from './token.ts';
import { common } from './token-of-path.ts';

const verified = model('VerifiedToken', {
  valid: z.literal(true),
  token_ref: text,
  token_name: text,
  user_ref: text,
  user_name: text,
  expires_at: time.nullable(),
  is_active: z.literal(true),
  last_used_at: time.nullable(),
});

export const verify = endpoint(
  {
    ...common,
    method: 'post',
    path: '/tokens/verify',
    summary: 'Verify the token of the request',
    auth: 'token',
    ...answersWith(verified),
  },
  ({ caller, options: { now } }) => {
    const { token_ref, token_name, user_ref, user_name } = caller;
    const names = { token_ref, token_name, user_ref, user_name };
    const expires_at = formatOptional(caller.expires_at);
    const last_used_at = formatOptional(caller.last_used_at);
    const data = { valid: true, ...names, expires_at, is_active: true, last_used_at };
    return viewAnswer(data, now());
  },
);
