import type { IncrementResponse, Store } from 'express-rate-limit';
import { sql, type Kysely } from 'kysely';
import { prepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { createBatch } from '../http/batch.ts';

export interface LimitStoreOptions {
  db: Kysely<Tables>;
  now: () => Date;
  window_ms: number;
  prefix: string;
}

/** A store of `express-rate-limit` whose counts come from elsewhere. */
interface LimitStore extends Store {
  increment(key: string): Promise<IncrementResponse>;
}

const limit = sql.table('customer.rate_limit');

/**
 * Makes what clears closed windows away, once a window and process. Rows stay for one more window,
 * because the clock of another machine may be behind ours; rows that are being counted, or swept by
 * another process, are passed over.
 */
export function createSweep({
  db,
  now,
  window_ms,
}: Pick<LimitStoreOptions, 'db' | 'now' | 'window_ms'>): () => Promise<void> {
  let swept_at = 0;
  return async () => {
    const at = now().getTime();
    if (at - swept_at < window_ms) return;
    swept_at = at;
    await sql`
      delete from ${limit}
      where limit_key in (
          select limit_key from ${limit}
          where reset_at <= ${new Date(at - window_ms)}
          for update skip locked
      )
    `.execute(db);
  };
}

/**
 * Counts hits in Postgres, so that all processes share one count and a restart forgets nothing. A
 * client's window opens with its first hit and lasts `window_ms`; keys are kept as `prefix` + key.
 *
 * Hits that come while a statement is under way share the next one, and yet each is told the count
 * that it made: under load a hit costs a fraction of a statement.
 */
export function createLimitStore({ db, now, window_ms, prefix }: LimitStoreOptions): LimitStore {
  const sweep = createSweep({ db, now, window_ms });

  const countHit = createBatch(async (keys: string[]): Promise<IncrementResponse[]> => {
    await sweep();
    return countHits(db, keys, now(), window_ms);
  });

  async function decrement(key: string): Promise<void> {
    await db
      .updateTable('customer.rate_limit')
      .set({ hit_count: sql`greatest(hit_count - 1, 0)` })
      .where('limit_key', '=', prefix + key)
      .where('reset_at', '>', now())
      .execute();
  }

  async function resetKey(key: string): Promise<void> {
    await db
      .deleteFrom('customer.rate_limit')
      .where('limit_key', '=', prefix + key)
      .execute();
  }

  return { prefix, increment: (key) => countHit(prefix + key), decrement, resetKey };
}

// Every process locks the rows in the order of their keys, so that none waits for another in a
// circle. A key that is hit several times is counted up at once, and each hit told its own count.
// A lost machine may lose the counts of its last moments, and no more, since no request waits for the
// disk to be counted.
async function countHits(
  db: Kysely<Tables>,
  keys: string[],
  hit_at: Date,
  window_ms: number,
): Promise<IncrementResponse[]> {
  const hitCounts = new Map<string, number>();
  const places = keys.map((key) => {
    const place = (hitCounts.get(key) ?? 0) + 1;
    hitCounts.set(key, place);
    return place;
  });
  const reset_at = new Date(hit_at.getTime() + window_ms);
  const { rows } = await sql<{ limit_key: string; hit_count: string; reset_at: Date }>`${prepared}
    with setting as materialized (
        select set_config('synchronous_commit', 'off', true)
    )
    insert into ${limit} as counter (limit_key, hit_count, reset_at)
    select hit.limit_key, hit.hit_count, ${reset_at}::timestamptz
    from setting
    cross join unnest(${[...hitCounts.keys()]}::text[], ${[...hitCounts.values()]}::bigint[])
        as hit (limit_key, hit_count)
    order by hit.limit_key
    on conflict (limit_key) do update set
        hit_count = excluded.hit_count
            + case when counter.reset_at <= ${hit_at} then 0 else counter.hit_count end,
        reset_at =
            case when counter.reset_at <= ${hit_at} then excluded.reset_at else counter.reset_at end
    returning limit_key, hit_count, reset_at
  `.execute(db);
  const counters = new Map(rows.map((row) => [row.limit_key, row]));
  return keys.map((key, at) => {
    const counter = counters.get(key);
    if (!counter) throw new Error(`The hit of ${key} was not counted`);
    const before = Number(counter.hit_count) - (hitCounts.get(key) ?? 0);
    return { totalHits: before + (places[at] ?? 1), resetTime: counter.reset_at };
  });
}
