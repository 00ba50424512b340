import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';

/**
 * What is published of all challenges: those that are open, which each account has few of, and those that
 * the operator answered in a year.
 */
export async function countChallenges(db: Db, now: Date) {
  type Name = 'open' | 'accepted' | 'declined';
  type Days = 'oldest_open_days' | 'median_days_to_answer';
  const { rows } = await sql<Record<Name, number> & Record<Days, number | null>>`
    select
        count(*) filter (where state = 'open')::int as open,
        count(*) filter (where state = 'accepted')::int as accepted,
        count(*) filter (where state = 'declined')::int as declined,
        floor(extract(epoch from ${now}::timestamptz - min(created_at) filter (where state = 'open')) / 86400)::int
            as oldest_open_days,
        round(
            (
                percentile_cont(0.5) within group (order by extract(epoch from ended_at - created_at))
                / 86400
            )::numeric,
            1
        )::float8 as median_days_to_answer
    from customer.challenge
    where state = 'open'
        or state in ('accepted', 'declined') and ended_at > ${now}::timestamptz - interval '365 days'
  `.execute(db);
  return rows[0]!;
}
