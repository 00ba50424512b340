import { eachBit, type Bits } from './bits.ts';
import { lastDay, type Segment } from './segment.ts';

/** The orders of results: `added` (when the service first knew a company), and start day (`-`: latest day first). */
export const sorts = ['added', 'activity_start', '-activity_start'] as const;

/** A segment of the search index, and the set of its companies that match a search. */
export interface Matches {
  segment: Segment;
  matches: Bits;
}

/**
 * Returns the ids of one page of matching companies, ordered by start day, then by id; companies without start day are
 * last. The matches are first counted by day, so that only the companies of the page's days are listed and sorted.
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
  // The page has matches of the ranks (positions of days) from `first` to below `end`, without the first `left`.
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
