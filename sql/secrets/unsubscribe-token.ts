import { z } from 'zod';
import { readToken, signToken } from './signed-token.ts';

const unsubscribeClaims = z.strictObject({
  purpose: z.literal('unsubscribe'),
  /** The `user_ref` of the account. */
  sub: z.string(),
  iat: z.int(),
  exp: z.int(),
});

const lifetime_ms = 365 * 86_400_000;

/** The right to turn the alert mails of an account off. */
export interface Unsubscription {
  user_ref: string;
  /** When its mail was ordered. */
  issued_at: Date;
}

/** What the link of a mail brings to turn such mails off: valid for 365 days. */
export function signUnsubscribeToken(
  secretKey: string,
  { user_ref, issued_at }: Unsubscription,
): string {
  const expires_at = new Date(issued_at.getTime() + lifetime_ms);
  return signToken(secretKey, { purpose: 'unsubscribe', sub: user_ref }, issued_at, expires_at);
}

/** @returns undefined when it is forged, expired, or for another purpose */
export function readUnsubscribeToken(
  secretKey: string,
  text: string,
  now: Date,
): Unsubscription | undefined {
  const claims = readToken(unsubscribeClaims, secretKey, text, now);
  return claims && { user_ref: claims.sub, issued_at: new Date(claims.iat * 1000) };
}
