import type { Point } from './series-fields.ts';

/** A point without its counts of entries from 1 to below `below`. All else stays, also what gives them away. */
export function hideSmall(point: Omit<Point, 'is_suppressed'>, below: number): Point {
  let is_suppressed = false;
  const hide = (name: string, value: unknown): unknown => {
    const isCount = typeof value === 'number' && !name.startsWith('days_');
    if (!isCount || value === 0 || value >= below) return value;
    is_suppressed = true;
    return null;
  };
  const shown = JSON.parse(JSON.stringify(point, hide)) as typeof point;
  return { ...shown, is_suppressed };
}
