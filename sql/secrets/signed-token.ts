import jwt from 'jsonwebtoken';
import { z } from 'zod';

const algorithm = 'HS256';

/** The claims that every token in a mail has. Times are whole seconds since 1970 (RFC 7519). */
export const signedClaims = z.strictObject({
  /** The `user_ref` of the account. */
  sub: z.string(),
  iat: z.int(),
  exp: z.int(),
});

/** Returns a signed token (JWT) with the given claims, for a link in a mail. */
export function signToken(
  secretKey: string,
  claims: object,
  issued_at: Date,
  expires_at: Date,
): string {
  const [iat, exp] = [issued_at, expires_at].map((time) => Math.floor(time.getTime() / 1000));
  return jwt.sign({ ...claims, iat, exp }, secretKey, { algorithm });
}

/**
 * Returns the claims of a token; undefined when the token is forged or expired, or its claims do not have the `shape`.
 */
export function readToken<Claims>(
  shape: z.ZodType<Claims>,
  secretKey: string,
  text: string,
  now: Date,
): Claims | undefined {
  try {
    const clockTimestamp = Math.floor(now.getTime() / 1000);
    const payload = jwt.verify(text, secretKey, { algorithms: [algorithm], clockTimestamp });
    return shape.safeParse(payload).data;
  } catch {
    return undefined;
  }
}

export const oneTimeTokenClaims = signedClaims.extend({
  purpose: z.enum(['init', 'recover']),
  /** The `one_time_token_id` of the database row that records whether the token was used. */
  jti: z.uuid(),
});

export type OneTimeTokenClaims = z.output<typeof oneTimeTokenClaims>;

/** A row of `customer.one_time_token` with its account. */
export interface IssuedToken {
  one_time_token_id: string;
  purpose: OneTimeTokenClaims['purpose'];
  user_ref: string;
  created_at: Date;
  expires_at: Date;
}

/** Returns the JWT of a one-time token from its row: each attempt to send the mail contains the same JWT. */
export function signOneTimeToken(secretKey: string, token: IssuedToken): string {
  const { purpose, user_ref: sub, one_time_token_id: jti } = token;
  return signToken(secretKey, { purpose, sub, jti }, token.created_at, token.expires_at);
}
