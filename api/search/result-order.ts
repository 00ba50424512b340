import { eachBit, type Bits } from './bits.ts';
import { lastDay, type Segment } from './segment.ts';

/** The orders of results: `added` is by the time at which companies became known; `-` puts the last start day first. */
export const sorts = ['added', 'activity_start', '-activity_start'] as const;

/** The matching companies of a segment. */
export interface Matches {
  segment: Segment;
  matches: Bits;
}

/**
 * Returns the ids of a part of the matches, ordered by start day, then by id; companies without a start day are last.
 * The matches of each day are counted first, so that only matches on the days of the part are listed and sorted.
 */
export function listByStart(
  found: readonly Matches[],
  { skipped, size, isDescending }: { skipped: number; size: number; isDescending: boolean },
): number[] {
  const unknown = lastDay + 1;
  const rankOf = (day: number) => (day === 0 ? unknown : isDescending ? unknown - day : day);
  const counts = new Uint32Array(unknown + 1);
  for (const { segment, matches } of found) {
    const { starts } = segment.data;
    eachBit(matches, (number) => (counts[rankOf(starts[number]!)]! += 1));
  }
  // A rank is a day's place in the order. `left` matches of rank `first` precede the part; ranks from `end` follow it.
  let [first, left] = [0, skipped];
  for (; first <= unknown && counts[first]! <= left; first += 1) left -= counts[first]!;
  let end = first;
  for (let count = 0; end <= unknown && count < left + size; end += 1) count += counts[end]!;
  const lists: number[][] = [];
  for (const { segment, matches } of found) {
    const { starts } = segment.data;
    eachBit(matches, (number) => {
      const rank = rankOf(starts[number]!);
      if (rank >= first && rank < end) (lists[rank - first] ??= []).push(segment.idOf(number));
    });
  }
  const listed = lists.flatMap((ids) => ids.toSorted((one, other) => one - other));
  return listed.slice(left, left + size);
}
