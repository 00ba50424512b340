import type { IncrementResponse, Store } from 'express-rate-limit';
import type { Selectable } from 'kysely';
import { runPrepared } from '../../sql/prepared.ts';
import type { CustomerTables } from '../../sql/tables/customer.ts';
import type { AppOptions } from '../app.ts';
import { createBatch } from '../http/batch.ts';

type LimitStoreOptions = Pick<AppOptions, 'db' | 'now'> & { window_ms: number; prefix: string };

/** Statements that count hits in parallel. Statements with the same key wait for each other. */
const mostCounting = 2;

type Counter = Selectable<CustomerTables['customer.rate_limit']>;

// The library wants these methods, and calls them only with options that are not set here.
function unsupported(): never {
  throw new Error('Hits are not taken back');
}

/**
 * Counts hits in Postgres, so that all processes share one count and a restart forgets nothing. The
 * window of a client opens with its first hit and lasts `window_ms`. Keys are stored as `prefix` + key.
 *
 * Hits that arrive while a statement runs share the next statement, and each gets its own count.
 */
export function createLimitStore({ db, now, window_ms, prefix }: LimitStoreOptions) {
  let swept_at = 0;

  /**
   * Deletes closed windows, once per window and process. Rows stay for one more window, because the
   * clock of another machine may be behind. Locked rows are skipped.
   */
  async function sweep(): Promise<void> {
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
  }

  /** Counts the hits of one key together, and gives each its own count. */
  async function countHits(keys: string[]): Promise<IncrementResponse[]> {
    await sweep();
    const hit_at = now();
    const reset_at = new Date(hit_at.getTime() + window_ms);
    const hitCounts = new Map<string, number>();
    for (const key of keys) hitCounts.set(key, (hitCounts.get(key) ?? 0) + 1);
    const values = [[...hitCounts.keys()], [...hitCounts.values()], hit_at, reset_at];
    const rows = await runPrepared<Counter>(db, 'api/count_hits.sql', values);
    const counters = new Map(rows.map((row) => [row.limit_key, row]));
    return keys.map((key) => {
      const { hit_count, reset_at: resetTime } = counters.get(key)!;
      const laterHits = hitCounts.get(key)! - 1;
      hitCounts.set(key, laterHits);
      return { totalHits: Number(hit_count) - laterHits, resetTime };
    });
  }

  const countHit = createBatch(countHits, mostCounting);

  return {
    prefix,
    increment: (key: string) => countHit(prefix + key),
    decrement: unsupported,
    resetKey: unsupported,
  } satisfies Store;
}
