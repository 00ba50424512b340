import type { Point } from './series-fields.ts';

/** Returns whether a count must be hidden, because its absolute value is from 1 to `below` - 1. */
export function isSmall(count: number, below: number): boolean {
  return count !== 0 && Math.abs(count) < below;
}

/** Sets small counts of a point to null. Other counts stay visible, even if they reveal a hidden count. */
export function hideSmall(shown: Omit<Point, 'is_suppressed'>, below: number): Point {
  const result: Point = { ...shown, stock: { ...shown.stock }, is_suppressed: false };
  if (below <= 1) return result;
  for (const fields of [result, result.stock] as Record<string, unknown>[]) {
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value !== 'number' || name.startsWith('days_') || !isSmall(value, below)) continue;
      fields[name] = null;
      result.is_suppressed = true;
    }
  }
  return result;
}
