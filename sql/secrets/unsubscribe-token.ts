import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { ONE_TIME_TOKEN_ALGORITHM } from './one-time-token.ts';

const unsubscribeClaims = z.strictObject({
  purpose: z.literal('unsubscribe'),
  /** The `user_ref` of the account. */
  sub: z.string(),
});

/**
 * What the link of a mail brings to turn its like off. It never expires, for old mails are read too;
 * nothing but the account and the key goes into it, so that it is the same in every mail.
 */
export function signUnsubscribeToken(secretKey: string, user_ref: string): string {
  const claims: z.output<typeof unsubscribeClaims> = { purpose: 'unsubscribe', sub: user_ref };
  return jwt.sign(claims, secretKey, { algorithm: ONE_TIME_TOKEN_ALGORITHM, noTimestamp: true });
}

/** @returns the `user_ref` of the account; undefined when it is forged, or for another purpose */
export function readUnsubscribeToken(secretKey: string, text: string): string | undefined {
  let payload: unknown;
  try {
    payload = jwt.verify(text, secretKey, { algorithms: [ONE_TIME_TOKEN_ALGORITHM] });
  } catch {
    return undefined;
  }
  return unsubscribeClaims.safeParse(payload).data?.sub;
}
