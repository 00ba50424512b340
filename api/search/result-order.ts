import { eachBit, type Bits } from './bits.ts';
import { lastDay, type Segment } from './segment.ts';

/** The orders of search results: `added` by the time at which companies became known, `-` with the latest day first. */
export const sorts = ['added', 'activity_start', '-activity_start'] as const;

/** The set of matching companies in one segment of the search index. */
export interface Matches {
  segment: Segment;
  matches: Bits;
}

/**
 * Returns a page of the matching ids, ordered by start day, then by id; companies without a start day are last. The
 * matches are first counted by day, so that only the days of the page are listed and sorted.
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
  // A rank is a day's position. The page starts after `left` matches of rank `first`, and ends before rank `end`.
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
