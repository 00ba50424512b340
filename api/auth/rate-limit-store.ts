import type { IncrementResponse, Store } from 'express-rate-limit';
import { sql, type Kysely } from 'kysely';
import { runPrepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { createBatch } from '../http/batch.ts';

export interface LimitStoreOptions {
  db: Kysely<Tables>;
  now: () => Date;
  window_ms: number;
  prefix: string;
}

/** Statements that count hits at once; those of one key wait for each other. */
const mostCounting = 2;

/** A store of `express-rate-limit` whose counts come from elsewhere. */
interface LimitStore extends Store {
  increment(key: string): Promise<IncrementResponse>;
}

/**
 * Makes what clears closed windows away, once a window and process. Rows stay for one more window,
 * because the clock of another machine may be behind ours; rows that are being counted, or swept by
 * another process, are passed over.
 */
function createSweep({ db, now, window_ms }: Omit<LimitStoreOptions, 'prefix'>) {
  let swept_at = 0;
  return async (): Promise<void> => {
    const at = now().getTime();
    if (at - swept_at < window_ms) return;
    swept_at = at;
    await db
      .deleteFrom('customer.rate_limit')
      .where('limit_key', 'in', (eb) =>
        eb
          .selectFrom('customer.rate_limit')
          .select('limit_key')
          .where('reset_at', '<=', new Date(at - window_ms))
          .forUpdate()
          .skipLocked(),
      )
      .execute();
  };
}

/**
 * Counts hits in Postgres, so that all processes share one count and a restart forgets nothing. A
 * client's window opens with its first hit and lasts `window_ms`; keys are kept as `prefix` + key.
 *
 * Hits that come while a statement is under way share the next one, and each gets the count that it
 * made: under load a hit costs a fraction of a statement.
 */
export function createLimitStore({ db, now, window_ms, prefix }: LimitStoreOptions): LimitStore {
  const sweep = createSweep({ db, now, window_ms });

  const countHit = createBatch(async (keys: string[]): Promise<IncrementResponse[]> => {
    await sweep();
    return countHits(db, keys, now(), window_ms);
  }, mostCounting);

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

interface Counter {
  limit_key: string;
  hit_count: string;
  reset_at: Date;
}

// A key that is hit several times is counted up at once, and each hit gets its own count.
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
  const values = [[...hitCounts.keys()], [...hitCounts.values()], hit_at, reset_at];
  const rows = await runPrepared<Counter>(db, 'api/count_hits.sql', values);
  const counters = new Map(rows.map((row) => [row.limit_key, row]));
  return keys.map((key, at) => {
    const counter = counters.get(key);
    if (!counter) throw new Error(`The hit of ${key} was not counted`);
    const before = Number(counter.hit_count) - (hitCounts.get(key) ?? 0);
    return { totalHits: before + (places[at] ?? 1), resetTime: counter.reset_at };
  });
}
