import { kinds } from './change.ts';

export type ChangeKind = keyof typeof kinds;

/** In the order of the night. */
export const changeKinds = Object.keys(kinds) as ChangeKind[];

/**
 * The share of all entries that each kind of change touches a day. `shares` replaces default shares.
 * `changes`, if given, is the sum to which all shares are scaled. Throws a RangeError for a value that
 * is no share.
 */
export function scaleShares(
  shares: Partial<Record<ChangeKind, number>> = {},
  changes?: number,
): Record<ChangeKind, number> {
  const chosen = changeKinds.map((kind) => [kind, shares[kind] ?? kinds[kind].share] as const);
  for (const [kind, share] of chosen) {
    if (!(share >= 0 && share <= 1)) throw new RangeError(`share of ${kind} is not from 0 to 1`);
  }
  const sum = chosen.reduce((total, [, share]) => total + share, 0);
  if (changes !== undefined && !(changes >= 0 && changes <= 0.5)) {
    throw new RangeError('changes must be from 0 to 0.5');
  }
  const scale = changes === undefined || sum === 0 ? 1 : changes / sum;
  const scaled = chosen.map(([kind, share]) => [kind, share * scale]);
  return Object.fromEntries(scaled) as Record<ChangeKind, number>;
}

/** How many entries of a country one kind touches a day: at least one, unless it is switched off. */
export function countOf(share: number, entries: number): number {
  return share === 0 ? 0 : Math.max(1, Math.round(share * entries));
}
