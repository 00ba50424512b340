import { isIP } from 'node:net';
import type { Request } from 'express';
import { sql, type Kysely } from 'kysely';
import type { Tables } from '../sql/tables.ts';
import { createBatch } from './batch.ts';
import { HttpError } from './http.ts';
import { readBearer, type TokenKind } from './token-secret.ts';

/** Whose token a request showed. */
export interface Caller {
  account_id: string;
  user_ref: string;
  user_name: string;
  token_id: string;
  token_ref: string;
  token_name: string;
  kind: TokenKind;
  /** Null: never. */
  expires_at: Date | null;
  /** Before this use. */
  last_used_at: Date | null;
}

/** The 401 of the specification. */
export function unauthorized(error: string): HttpError {
  const headers = { 'WWW-Authenticate': 'Bearer' };
  return new HttpError(401, { error, code: 'UNAUTHORIZED' }, headers);
}

interface Use {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  hash: string;
  ip: string | null;
}

interface KnownToken extends Caller {
  hash: string;
  /** `counted` when the use was let in; `locked` when somebody else was changing the token. */
  state: 'counted' | 'revoked' | 'expired' | 'locked';
}

type Lane = 'waiting' | 'passing';

const token = sql.table('customer.token');
const account = sql.table('customer.account');

const locking = {
  waiting: sql`for no key update of token`,
  passing: sql`for no key update of token skip locked`,
};

/**
 * Finds the tokens of several uses, refuses what is revoked or expired, and counts the other uses:
 * one statement, so that a use is counted exactly when it was let in.
 *
 * A row that another statement has locked is waited for, or passed over; rows are locked in the
 * order of their keys, so that no two processes wait for each other. A lost machine may lose the
 * counts of its last moments, and no more, since this statement does not wait for the disk.
 */
async function countUses(
  db: Kysely<Tables>,
  uses: Use[],
  now: Date,
  lane: Lane,
): Promise<(KnownToken | undefined)[]> {
  const byHash = Map.groupBy(uses, ({ hash }) => hash);
  const counts = [...byHash.values()].map((ofToken) => ofToken.length);
  const ips = [...byHash.values()].map((ofToken) => ofToken.at(-1)?.ip ?? null);
  const { rows } = await sql<KnownToken>`
    with setting as materialized (
        select set_config('synchronous_commit', 'off', true)
    ),
    asked as materialized (
        select hash, decode(hash, 'hex') as secret_hash, use_count, ip
        from unnest(${[...byHash.keys()]}::text[], ${counts}::bigint[], ${ips}::inet[])
            as asked (hash, use_count, ip)
    ),
    usable as materialized (
        select token.token_id, token.last_used_at, asked.use_count, asked.ip
        from setting
        cross join asked
        join ${token} as token on token.secret_hash = asked.secret_hash
        where token.revoked_at is null and (token.expires_at is null or token.expires_at > ${now})
        order by token.token_id
        ${locking[lane]}
    ),
    counted as (
        update ${token} as token set
            usage_count = token.usage_count + usable.use_count,
            last_used_at = greatest(token.last_used_at, ${now}),
            last_used_ip = coalesce(usable.ip, token.last_used_ip)
        from usable
        where token.token_id = usable.token_id
        returning token.token_id
    )
    select
        asked.hash, account.account_id, account.user_ref, account.name as user_name,
        token.token_id, token.token_ref, token.name as token_name, token.kind, token.expires_at,
        usable.last_used_at,
        case
            when counted.token_id is not null then 'counted'
            when token.revoked_at is not null then 'revoked'
            when token.expires_at <= ${now} then 'expired'
            else 'locked'
        end as state
    from asked
    join ${token} as token on token.secret_hash = asked.secret_hash
    join ${account} as account on account.account_id = token.account_id
    left join usable on usable.token_id = token.token_id
    left join counted on counted.token_id = token.token_id
  `.execute(db);
  const known = new Map(rows.map((row) => [row.hash, row]));
  return uses.map(({ hash }) => known.get(hash));
}

// An IPv4 client of a socket that speaks IPv6 too is that IPv4 address. What a proxy reports may be
// no address at all.
function clientAddressOf(request: Request): string | null {
  const address = [request.ip, request.socket.remoteAddress].find((text) => text && isIP(text));
  return address?.split('%', 1)[0]?.replace(/^::ffff:(?=\d+\.)/i, '') ?? null;
}

interface AuthenticationOptions {
  db: Kysely<Tables>;
  now: () => Date;
}

/**
 * Makes what lets requests in by their token, and counts the use. Throws the 401 of a token that is
 * missing, malformed, unknown, expired or revoked; a malformed one costs no query.
 *
 * Requests share statements. A token that somebody has locked, such as by revoking it this moment,
 * waits in a lane of its own, so that it holds up no other.
 */
export function createAuthentication({
  db,
  now,
}: AuthenticationOptions): (request: Request) => Promise<Caller> {
  const pass = createBatch((uses: Use[]) => countUses(db, uses, now(), 'passing'));
  const wait = createBatch((uses: Use[]) => countUses(db, uses, now(), 'waiting'));

  return async (request) => {
    const bearer = readBearer(request);
    if (bearer === 'missing') throw unauthorized('Missing API token');
    if (bearer === 'malformed') throw unauthorized('Malformed token format');
    const use = { hash: bearer.hash, ip: clientAddressOf(request) };
    let known = await pass(use);
    if (known?.state === 'locked') known = await wait(use);
    if (!known) throw unauthorized('Invalid token');
    if (known.state === 'expired') throw unauthorized('Token expired');
    // One that was still locked when its turn came was revoked by whoever held it.
    if (known.state !== 'counted') throw unauthorized('Token revoked');
    return known;
  };
}
