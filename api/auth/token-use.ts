import { sql, type Kysely } from 'kysely';
import { prepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import type { RequestLimit } from '../http/endpoint.ts';
import type { TokenKind } from './token-secret.ts';

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

export interface Use {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  hash: string;
  ip: string | null;
}

export interface KnownToken extends Caller {
  hash: string;
  /** `counted` when the use was let in; `locked` when somebody else was changing the token. */
  state: 'counted' | 'revoked' | 'expired' | 'locked';
}

/** A use, and how often its token was shown in the window of a limit, itself included. */
export interface LimitedUse {
  hit_count: number;
  reset_at: Date;
  /** Undefined: nobody has such a token. Of a use beyond the limit, this says nothing. */
  known: KnownToken | undefined;
}

export type Lane = 'waiting' | 'passing';

const token = sql.table('customer.token');
const account = sql.table('customer.account');
const limit = sql.table('customer.rate_limit');

const locking = {
  waiting: sql`for no key update of token`,
  passing: sql`for no key update of token skip locked`,
};

/** A token as it comes in JSON, which is read faster than columns. */
type FoundToken = Omit<KnownToken, 'expires_at' | 'last_used_at'> &
  Record<'expires_at' | 'last_used_at', string | null>;

function readMoment(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

function readToken(found: FoundToken): KnownToken {
  const { expires_at, last_used_at } = found;
  return { ...found, expires_at: readMoment(expires_at), last_used_at: readMoment(last_used_at) };
}

/** What is found of a token: of `asked`, `token`, `account`, `usable` and `counted`. */
function knownColumns(now: Date) {
  return sql`
    asked.hash, account.account_id::text, account.user_ref, account.name as user_name,
    token.token_id::text, token.token_ref, token.name as token_name, token.kind, token.expires_at,
    usable.last_used_at,
    case
        when counted.token_id is not null then 'counted'
        when token.revoked_at is not null then 'revoked'
        when token.expires_at <= ${now}::timestamptz then 'expired'
        else 'locked'
    end as state
  `;
}

/**
 * Finds the tokens of several uses, refuses what is revoked or expired, and counts the other uses:
 * one statement, so that a use is counted exactly when it was let in.
 *
 * A row that another statement has locked is waited for, or passed over; rows are locked in the
 * order of their keys, so that no two processes wait for each other. A lost machine may lose the
 * counts of its last moments, and no more, since this statement does not wait for the disk.
 */
export async function countUses(
  db: Kysely<Tables>,
  uses: Use[],
  now: Date,
  lane: Lane,
): Promise<(KnownToken | undefined)[]> {
  const byHash = Map.groupBy(uses, ({ hash }) => hash);
  const counts = [...byHash.values()].map((ofToken) => ofToken.length);
  const ips = [...byHash.values()].map((ofToken) => ofToken.at(-1)?.ip ?? null);
  const { rows } = await sql<KnownToken>`${prepared}
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
        where
            token.revoked_at is null
            and (token.expires_at is null or token.expires_at > ${now}::timestamptz)
        order by token.token_id
        ${locking[lane]}
    ),
    counted as (
        update ${token} as token set
            usage_count = token.usage_count + usable.use_count,
            last_used_at = greatest(token.last_used_at, ${now}::timestamptz),
            last_used_ip = coalesce(usable.ip, token.last_used_ip)
        from usable
        where token.token_id = usable.token_id
        returning token.token_id
    )
    select ${knownColumns(now)}
    from asked
    join ${token} as token on token.secret_hash = asked.secret_hash
    join ${account} as account on account.account_id = token.account_id
    left join usable on usable.token_id = token.token_id
    left join counted on counted.token_id = token.token_id
  `.execute(db);
  const known = new Map(rows.map((row) => [row.hash, row]));
  return uses.map(({ hash }) => known.get(hash));
}

type FoundUse = { limited: string; hit_count: number; reset_at: string } & (
  FoundToken | { hash: null }
);

/** Of each use, how many of its token it makes among these, the first ones first. */
function numberUses(uses: Use[]): number[] {
  const counts = new Map<string, number>();
  return uses.map(({ hash }) => {
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    return count;
  });
}

/**
 * Counts several uses against the limit of their tokens, and does with those that the limit lets in
 * what `countUses` does, tokens that are locked being passed over: one statement.
 *
 * Counts of the limit are locked before tokens, both in the order of their keys; no token is waited
 * for.
 */
export async function countLimitedUses(
  db: Kysely<Tables>,
  uses: Use[],
  now: Date,
  { name, request_count, window_ms }: RequestLimit,
): Promise<LimitedUse[]> {
  const byHash = Map.groupBy(uses, ({ hash }) => hash);
  const counts = [...byHash.values()].map((ofToken) => ofToken.length);
  // Of each token the addresses in the order of its uses, as Postgres writes an array.
  const ips = [...byHash.values()].map(
    (ofToken) => `{${ofToken.map(({ ip }) => ip ?? 'NULL').join(',')}}`,
  );
  const reset_at = new Date(now.getTime() + window_ms);
  const { rows } = await sql<{ uses: FoundUse[] }>`${prepared}
    with setting as materialized (
        select set_config('synchronous_commit', 'off', true)
    ),
    asked as materialized (
        select
            hash, decode(hash, 'hex') as secret_hash, use_count, ips::inet[] as ips,
            ${`${name}:`}::text || hash as limit_key
        from unnest(${[...byHash.keys()]}::text[], ${counts}::bigint[], ${ips}::text[])
            as asked (hash, use_count, ips)
    ),
    hit as (
        insert into ${limit} as counter (limit_key, hit_count, reset_at)
        select asked.limit_key, asked.use_count, ${reset_at}::timestamptz
        from setting
        cross join asked
        order by asked.limit_key
        on conflict (limit_key) do update set
            hit_count = excluded.hit_count + case
                when counter.reset_at <= ${now}::timestamptz then 0
                else counter.hit_count
            end,
            reset_at = case
                when counter.reset_at <= ${now}::timestamptz then excluded.reset_at
                else counter.reset_at
            end
        returning limit_key, hit_count, reset_at
    ),
    let_in as materialized (
        select
            asked.secret_hash, asked.ips,
            least(
                asked.use_count, ${request_count}::bigint - (hit.hit_count - asked.use_count)
            ) as use_count
        from hit
        join asked using (limit_key)
    ),
    usable as materialized (
        select token.token_id, token.last_used_at, let_in.use_count, let_in.ips
        from let_in
        join ${token} as token on token.secret_hash = let_in.secret_hash
        where
            let_in.use_count > 0
            and token.revoked_at is null
            and (token.expires_at is null or token.expires_at > ${now}::timestamptz)
        order by token.token_id
        ${locking.passing}
    ),
    counted as (
        update ${token} as token set
            usage_count = token.usage_count + usable.use_count,
            last_used_at = greatest(token.last_used_at, ${now}::timestamptz),
            last_used_ip = coalesce(usable.ips[usable.use_count], token.last_used_ip)
        from usable
        where token.token_id = usable.token_id
        returning token.token_id
    )
    select json_agg(found) as uses
    from (
        select asked.hash as limited, hit.hit_count, hit.reset_at, known.*
        from hit
        join asked using (limit_key)
        left join lateral (
            select ${knownColumns(now)}
            from ${token} as token
            join ${account} as account on account.account_id = token.account_id
            left join usable on usable.token_id = token.token_id
            left join counted on counted.token_id = token.token_id
            where token.secret_hash = asked.secret_hash
        ) as known on true
    ) as found
  `.execute(db);
  const found = new Map(rows[0]?.uses.map((use) => [use.limited, use]));
  const numbers = numberUses(uses);
  return uses.map(({ hash }, at) => {
    const row = found.get(hash);
    if (!row) throw new Error('The use of a token was not counted');
    const before = row.hit_count - byHash.get(hash)!.length;
    return {
      hit_count: before + numbers[at]!,
      reset_at: new Date(row.reset_at),
      known: row.hash === null ? undefined : readToken(row),
    };
  });
}
