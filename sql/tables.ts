import type { ColumnType } from 'kysely';

// What the driver gives and takes: `bigint` is text on the way out, so that no digit is lost, and a
// `date` is text both ways (YYYY-MM-DD).
type BigInteger = ColumnType<string, string | number | bigint>;

interface DailyStatTable {
  source: string;
  stat_date: string;
  new_count: BigInteger;
  updated_count: BigInteger;
  deleted_count: BigInteger;
  entry_count: BigInteger;
  is_baseline: boolean;
}

interface RateLimitTable {
  limit_key: string;
  hit_count: BigInteger;
  reset_at: Date;
}

/** The tables that the API reads and writes, by schema and name. */
export interface Tables {
  'customer.rate_limit': RateLimitTable;
  'registry.daily_stat': DailyStatTable;
}
