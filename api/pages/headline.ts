import type { Db } from '../../sql/connection/kysely.ts';
import { isSmall } from '../stats/series-fields.ts';
import { readSeries } from '../stats/read-series.ts';

const day_ms = 86_400_000;

/** The least days between two compared snapshots; if none is so old, the newest is compared with its predecessor. */
const span_days = 30;

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day_ms).toISOString().slice(0, 10);
}

type Points = Awaited<ReturnType<typeof readSeries>>;

function sum(points: Points, flow: 'new' | 'ended'): number {
  return points.reduce((total, point) => total + (point[flow] ?? 0), 0);
}

/**
 * Returns a registry's active entries on its newest day, and its new and ended entries since a snapshot about
 * a month older. The `change` of a flow compares it with an equally long period before; undefined where no
 * snapshot begins that period. A flow from 1 to `below - 1` is null.
 */
export async function readHeadline(db: Db, source: string, date: string, below = 0) {
  const from = addDays(date, -3 * span_days);
  const points = await readSeries(db, source, { by: 'day', from });
  const newest = points.at(-1);
  if (!newest) return undefined;
  const latest = addDays(newest.date, -span_days);
  const base = points.findLast((point) => point.date <= latest) ?? points.at(-2);
  const active = Number(newest.stock.ACTIVE);
  if (!base) return { source, date, active: { count: active } };
  const days = (Date.parse(newest.date) - Date.parse(base.date)) / day_ms;
  const start = addDays(base.date, -days);
  const since = points.filter((point) => point.date > base.date);
  const before = points.some((point) => point.date === start)
    ? points.filter((point) => point.date > start && point.date <= base.date)
    : undefined;
  const isHidden = (count: number) => isSmall(count, below);
  const flowOf = (flow: 'new' | 'ended') => {
    const [count, earlier] = [sum(since, flow), before && sum(before, flow)];
    const isCompared = earlier !== undefined && !isHidden(count) && !isHidden(earlier);
    return {
      count: isHidden(count) ? null : count,
      change: isCompared ? count - earlier : undefined,
    };
  };
  return {
    source,
    date,
    since: base.date,
    days,
    active: { count: active, change: active - Number(base.stock.ACTIVE) },
    new: flowOf('new'),
    ended: flowOf('ended'),
  };
}
