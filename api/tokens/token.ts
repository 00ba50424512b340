import type { Insertable, Selectable } from 'kysely';
import { z } from 'zod';
import type { Tx } from '../../sql/connection/kysely.ts';
import type { CustomerTables } from '../../sql/tables/customer.ts';
import { createRef, createSecret, hashSecret } from '../auth/token-secret.ts';
import { answersSuccess, model, text, time } from '../endpoint/answers.ts';
import { day_ms } from '../../sql/process/durations.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';

// `TOKENS_PER_ACCOUNT` of `../figures/account-limits.ts` limits the number of an account's tokens.
const sharedFields = {
  token_ref: text,
  name: text,
  expires_at: time.nullable(),
  is_active: z.boolean(),
};

export const tokenData = model('Token', {
  ...sharedFields,
  last_used_at: time.nullable(),
  last_used_ip: text.nullable(),
  usage_count: z.int(),
  revoked_at: time.nullable(),
  created_at: time,
});

export const newTokenData = model('NewToken', { ...sharedFields, plaintext: text, warning: text });

const warning = 'Store this token now: it will not be shown again.';

type TokenTable = CustomerTables['customer.token'];
type Issue = Pick<Insertable<TokenTable>, 'account_id' | 'kind' | 'name' | 'lifetime_days'>;

/** Creates a token, and returns it with its secret (`plaintext`). The database stores only the hash of the secret. */
export async function issueToken(tx: Tx, token: Issue, now: Date) {
  const plaintext = createSecret(token.kind);
  const secret_hash = Buffer.from(hashSecret(plaintext), 'hex');
  const token_ref = createRef();
  const { name, lifetime_days } = token;
  const expires_at = lifetime_days ? new Date(now.getTime() + lifetime_days * day_ms) : null;
  await tx
    .insertInto('customer.token')
    .values({ ...token, token_ref, secret_hash, created_at: now, expires_at })
    .execute();
  const expires = formatOptional(expires_at);
  return { token_ref, name, expires_at: expires, is_active: true, plaintext, warning };
}

/** Returns a token in the form of answers. `is_active` is false for a revoked token, but true for an expired token. */
export function viewToken(token: Selectable<TokenTable>): z.output<typeof tokenData> {
  return {
    token_ref: token.token_ref,
    name: token.name,
    expires_at: formatOptional(token.expires_at),
    is_active: token.revoked_at === null,
    last_used_at: formatOptional(token.last_used_at),
    last_used_ip: token.last_used_ip,
    usage_count: Number(token.usage_count),
    revoked_at: formatOptional(token.revoked_at),
    created_at: formatTimestamp(token.created_at),
  };
}

/** Returns the schema of the body that `viewAnswer` returns. */
export function answersWith(data: z.ZodType) {
  return answersSuccess(data, model('TimestampMeta', { timestamp: time }));
}

/** Returns the body of a successful answer with `data`, and the time `at` in its `meta`. */
export function viewAnswer(data: object, at: Date) {
  return { success: true, data, meta: { timestamp: formatTimestamp(at) } };
}
