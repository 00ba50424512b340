import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { nameField } from '../http/field.ts';
import {
  createToken,
  findToken,
  listTokens,
  renameToken,
  revokeToken,
  rotateToken,
  type TokenRow,
} from './change.ts';
import type { IssuedToken } from './record.ts';
import { formatOptional, formatTimestamp } from '../http/timestamp.ts';

const text = z.string();
const time = z.iso.datetime({ offset: true });
const success = z.literal(true);
const meta = z
  .strictObject({ timestamp: time })
  .meta({ id: 'TimestampMeta', description: 'When the answer was given.' });

const sharedFields = {
  token_ref: text,
  name: text,
  expires_at: time.nullable(),
  is_active: z.boolean(),
};

/** The metadata of a token. */
const tokenData = z
  .strictObject({
    ...sharedFields,
    last_used_at: time.nullable(),
    last_used_ip: text.nullable(),
    usage_count: z.int(),
    revoked_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'Token', description: 'A token without its secret.' });

/** A token in the only answer that has its secret. */
const newTokenData = z
  .strictObject({ ...sharedFields, plaintext: text, warning: text })
  .meta({ id: 'NewToken', description: 'A token in the only answer that has its secret.' });

const sharedExample = {
  token_ref: 'Q7M2XK40ZVBA',
  name: 'Billing',
  expires_at: '2026-05-31T10:00:00+00:00',
  is_active: true,
};

const tokenExample = {
  ...sharedExample,
  last_used_at: '2026-05-02T08:30:00+00:00',
  last_used_ip: '192.0.2.7',
  usage_count: 42,
  revoked_at: null,
  created_at: '2026-05-01T10:00:00+00:00',
};

const warning = 'Store this token now: it will not be shown again.';

const newTokenExample = {
  ...sharedExample,
  plaintext: 'sk_api_0gqDzWEXYFvCTXCpqHhLdPhGnkhw1xVVrYVPz37xEu62hXpJe',
  warning,
};

/** `is_active` tells whether a token is revoked; `expires_at` tells whether it is expired. */
function viewToken(token: TokenRow): z.output<typeof tokenData> {
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

/** The secret of a token, with the warning that it is shown this once. */
function viewNewToken(token: IssuedToken): z.output<typeof newTokenData> {
  const { token_ref, name, expires_at, plaintext } = token;
  const expires = formatOptional(expires_at);
  return { token_ref, name, expires_at: expires, is_active: true, plaintext, warning };
}

const timestamp = { timestamp: '2026-05-02T10:00:00+00:00' };

// What the descriptions share.
const common = { tag: 'Tokens', auth: 'master' } as const;
const one = { ...common, path: '/tokens/{token_ref}' } as const;
const params = z.strictObject({ token_ref: text });

/** The body of a success with a timestamp. */
function viewAnswer(data: object, at: Date) {
  return { success: true, data, meta: { timestamp: formatTimestamp(at) } };
}

const lifetime = 'The expires_in_days field must be a whole number from 1 to 365.';

const lifetimeField = z
  .number({ error: lifetime })
  .refine((days) => Number.isInteger(days) && days >= 1 && days <= 365, { error: lifetime })
  .meta({ type: 'integer', minimum: 1, maximum: 365 });

function create({ db, now }: AppOptions): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'post',
      path: '/tokens',
      summary: 'Create an API token',
      description: 'Without `expires_in_days` it never expires. Its secret is shown this once.',
      body: z.strictObject({
        name: nameField,
        expires_in_days: lifetimeField.optional(),
      }),
      bodyExample: { name: 'Billing', expires_in_days: 90 },
      status: 201,
      answer: z.strictObject({ success, data: newTokenData, meta }),
      example: { success: true, data: newTokenExample, meta: timestamp },
    },
    async ({ body, caller }) => {
      const at = now();
      return viewAnswer(viewNewToken(await createToken(db, caller, body, at)), at);
    },
  );
}

function list({ db, now }: AppOptions): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'get',
      path: '/tokens',
      summary: 'List the tokens of the account',
      description: 'All of them, the newest first: the Master Token and the revoked ones too.',
      answer: z.strictObject({
        success,
        data: z.array(tokenData),
        meta: z.strictObject({ total: z.int(), timestamp: time }),
      }),
      example: { success: true, data: [tokenExample], meta: { total: 1, ...timestamp } },
    },
    async ({ caller }) => {
      const data = (await listTokens(db, caller)).map(viewToken);
      return {
        success: true,
        data,
        meta: { total: data.length, timestamp: formatTimestamp(now()) },
      };
    },
  );
}

const answersOne = {
  answer: z.strictObject({ success, data: tokenData, meta }),
  example: { success: true, data: tokenExample, meta: timestamp },
};

function get({ db, now }: AppOptions): Endpoint {
  return endpoint(
    { ...one, ...answersOne, method: 'get', summary: 'Get a token', params },
    async ({ params: { token_ref }, caller }) =>
      viewAnswer(viewToken(await findToken(db, caller, token_ref)), now()),
  );
}

function rename({ db, now }: AppOptions): Endpoint {
  return endpoint(
    {
      ...one,
      ...answersOne,
      method: 'put',
      summary: 'Rename a token',
      params,
      body: z.strictObject({ name: nameField }),
      bodyExample: { name: 'Billing' },
    },
    async ({ params: { token_ref }, body: { name }, caller }) =>
      viewAnswer(viewToken(await renameToken(db, caller, token_ref, name)), now()),
  );
}

function revoke({ db, now }: AppOptions): Endpoint {
  const message = 'The token is revoked.';
  return endpoint(
    {
      ...one,
      method: 'delete',
      summary: 'Revoke an API token',
      description: 'From the next request on it gets a 401, for good.',
      params,
      answer: z.strictObject({
        success,
        message: text,
        meta: z.strictObject({ revoked_at: time }),
      }),
      example: { success: true, message, meta: { revoked_at: timestamp.timestamp } },
    },
    async ({ params: { token_ref }, caller }) => {
      const revoked_at = await revokeToken(db, caller, token_ref, now());
      return { success: true, message, meta: { revoked_at: formatTimestamp(revoked_at) } };
    },
  );
}

const rotated = z.strictObject({
  old_token: z
    .strictObject({ token_ref: text, name: text, revoked_at: time, is_active: z.literal(false) })
    .meta({ id: 'RevokedToken', description: 'The token that a rotation revoked.' }),
  new_token: newTokenData,
});

function rotate({ db, now }: AppOptions): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'post',
      path: '/tokens/{token_ref}/rotate',
      summary: 'Rotate an API token',
      description:
        'Revokes it and makes a new one, which lives as long from today on. Its secret is shown this once. A token that is revoked or expired cannot be rotated.',
      params,
      answer: z.strictObject({ success, data: rotated, meta }),
      example: {
        success: true,
        data: {
          old_token: {
            token_ref: 'B5NC81YHXW2E',
            name: 'Billing',
            revoked_at: timestamp.timestamp,
            is_active: false,
          },
          new_token: { ...newTokenExample, name: 'Billing (rotated)' },
        },
        meta: timestamp,
      },
    },
    async ({ params: { token_ref }, caller }) => {
      const at = now();
      const { old_token, new_token } = await rotateToken(db, caller, token_ref, at);
      const revoked_at = formatTimestamp(old_token.revoked_at);
      const revoked = { ...old_token, revoked_at, is_active: false };
      return viewAnswer({ old_token: revoked, new_token: viewNewToken(new_token) }, at);
    },
  );
}

const verified = z
  .strictObject({
    valid: z.literal(true),
    token_ref: text,
    token_name: text,
    user_ref: text,
    user_name: text,
    expires_at: time.nullable(),
    is_active: z.literal(true),
    last_used_at: time.nullable(),
  })
  .meta({ id: 'VerifiedToken', description: 'The token of the request.' });

function verify({ now }: AppOptions): Endpoint {
  return endpoint(
    {
      ...common,
      method: 'post',
      path: '/tokens/verify',
      summary: 'Verify the token of the request',
      description:
        'A token of either kind. One that is not valid gets a 401. `last_used_at` is the use before this one.',
      auth: 'token',
      answer: z.strictObject({
        success,
        data: verified,
        meta: z.strictObject({ timestamp: time }),
      }),
      example: {
        success: true,
        data: {
          valid: true,
          token_ref: tokenExample.token_ref,
          token_name: tokenExample.name,
          user_ref: 'K3V9QX0ZB7MD',
          user_name: 'Anna Nowak',
          expires_at: tokenExample.expires_at,
          is_active: true,
          last_used_at: tokenExample.last_used_at,
        },
        meta: timestamp,
      },
    },
    ({ caller }) => {
      const { token_ref, token_name, user_ref, user_name } = caller;
      const expires_at = formatOptional(caller.expires_at);
      const last_used_at = formatOptional(caller.last_used_at);
      const names = { token_ref, token_name, user_ref, user_name };
      const data = { valid: true, ...names, expires_at, is_active: true, last_used_at };
      return viewAnswer(data, now());
    },
  );
}

/** The tokens of an account; all but verify need its Master Token. */
export function tokenEndpoints(options: AppOptions): Endpoint[] {
  return [create, list, verify, get, rename, revoke, rotate].map((make) => make(options));
}
