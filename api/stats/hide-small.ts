import type { Point } from './series-fields.ts';

/** Returns whether the operator hides a count: its absolute value is from 1 to `below - 1`. */
export function isSmall(count: number, below: number): boolean {
  return count !== 0 && Math.abs(count) < below;
}

/** Returns a point whose small counts are null. Other counts stay, even if they reveal a hidden count. */
export function hideSmall(point: Omit<Point, 'is_suppressed'>, below: number): Point {
  let is_suppressed = false;
  if (below <= 1) return { ...point, is_suppressed };
  const hide = <Fields extends object>(fields: Fields): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]: [string, unknown]) => {
        const isCount = typeof value === 'number' && !name.startsWith('days_');
        if (!isCount || !isSmall(value, below)) return [name, value];
        is_suppressed = true;
        return [name, null];
      }),
    ) as Fields;
  const shown = { ...hide(point), stock: hide(point.stock) };
  return { ...shown, is_suppressed };
}
