import { z } from 'zod';
import { readToken, signedClaims, signToken } from './signed-token.ts';

const unsubscribeClaims = signedClaims.extend({ purpose: z.literal('unsubscribe') });

const lifetime_ms = 365 * 86_400_000;

/**
 * Returns a token that can turn off the alert mails of an account, valid for 365 days.
 *
 * @param issued_at the time at which the mail was ordered
 */
export function signUnsubscribeToken(
  secretKey: string,
  { user_ref, issued_at }: { user_ref: string; issued_at: Date },
): string {
  const expires_at = new Date(issued_at.getTime() + lifetime_ms);
  return signToken(secretKey, { purpose: 'unsubscribe', sub: user_ref }, issued_at, expires_at);
}

/** Returns the account and issue time of a token; undefined if the token is forged, expired or for another purpose. */
export function readUnsubscribeToken(secretKey: string, text: string, now: Date) {
  const claims = readToken(unsubscribeClaims, secretKey, text, now);
  return claims && { user_ref: claims.sub, issued_at: new Date(claims.iat * 1000) };
}
