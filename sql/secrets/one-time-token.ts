import { z } from 'zod';
import { signedClaims, signToken } from './signed-token.ts';

export const oneTimeTokenClaims = signedClaims.extend({
  purpose: z.enum(['init', 'recover']),
  /** The `one_time_token_id` of the row, which knows whether it was used. */
  jti: z.uuid(),
});

export type OneTimeTokenClaims = z.output<typeof oneTimeTokenClaims>;

/** A row of `customer.one_time_token` with the account that it is of. */
export interface IssuedToken {
  one_time_token_id: string;
  purpose: OneTimeTokenClaims['purpose'];
  user_ref: string;
  created_at: Date;
  expires_at: Date;
}

/**
 * The one-time token of a row as a JWT. Nothing but the row and the key goes into it: signed again
 * for another attempt, it is the same.
 */
export function signOneTimeToken(secretKey: string, token: IssuedToken): string {
  const { purpose, user_ref: sub, one_time_token_id: jti } = token;
  return signToken(secretKey, { purpose, sub, jti }, token.created_at, token.expires_at);
}
