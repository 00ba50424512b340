import { z } from 'zod';
import { readToken, signToken } from './signed-token.ts';

const unsubscribeClaims = z.strictObject({
  purpose: z.literal('unsubscribe'),
  /** The `user_ref` of the account. */
  sub: z.string(),
  /** In whole seconds since 1970, as RFC 7519 has them. */
  iat: z.int(),
  exp: z.int(),
});

const lifetime_s = 365 * 24 * 3600;

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
  const iat = Math.floor(issued_at.getTime() / 1000);
  const claims: z.output<typeof unsubscribeClaims> = {
    purpose: 'unsubscribe',
    sub: user_ref,
    iat,
    exp: iat + lifetime_s,
  };
  return signToken(secretKey, claims);
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
