import type { Db } from '../../sql/connection/kysely.ts';
import { day_ms } from '../figures.ts';
import { isSmall } from '../stats/small-counts.ts';
import { readSeries } from '../stats/read-series.ts';

/** The least days between two compared snapshots; if none is so old, the newest is compared with its predecessor. */
const span_days = 30;

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day_ms).toISOString().slice(0, 10);
}

/**
 * Returns a registry's active entries on its newest day, and its new and ended entries since about a month before. The
 * `change` of a flow compares it with as many days before; undefined where no snapshot begins them.
 */
export async function readHeadline(db: Db, source: string, date: string, below = 0) {
  const points = await readSeries(db, source, { by: 'day', from: addDays(date, -3 * span_days) });
  const newest = points.at(-1);
  if (!newest) return undefined;
  const latest = addDays(newest.date, -span_days);
  const base = points.findLast((point) => point.date <= latest) ?? points.at(-2);
  const active = Number(newest.stock.ACTIVE);
  if (!base) return { source, date, active: { count: active } };
  const days = (Date.parse(newest.date) - Date.parse(base.date)) / day_ms;
  const start = addDays(base.date, -days);
  const hasStart = points.some((point) => point.date === start);
  const flowOf = (flow: 'new' | 'ended') => {
    const sum = (after: string, to: string) =>
      points
        .filter((point) => point.date > after && point.date <= to)
        .reduce((total, point) => total + (point[flow] ?? 0), 0);
    const [count, earlier] = [sum(base.date, newest.date), sum(start, base.date)];
    const [isHidden, isCompared] = [isSmall(count, below), hasStart && !isSmall(earlier, below)];
    return {
      count: isHidden ? null : count,
      change: isHidden || !isCompared ? undefined : count - earlier,
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
