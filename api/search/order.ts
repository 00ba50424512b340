import { eachBit, type Bits } from './bits.ts';
import { lastDay, type Segment } from './segment.ts';

/** The orders of results: by the time when the companies became known, or by start day. Of `-` the last day is first. */
export const sorts = ['added', 'activity_start', '-activity_start'] as const;

/** The matching companies of a segment. */
export interface Matches {
  segment: Segment;
  matches: Bits;
}

/**
 * Returns the ids of a part of the matching companies by start day, of one day by id; companies without a day are last.
 * The matches are counted by day first, so that only the companies of the part's days are listed and sorted.
 */
export function listByStart(
  found: readonly Matches[],
  { skipped, size, isDescending }: { skipped: number; size: number; isDescending: boolean },
): number[] {
  const days = found.flatMap(({ segment }) => segment.days);
  const before_first = Math.min(lastDay, ...days) - 1;
  const last = Math.max(0, ...days.map((day) => day - before_first));
  // A match counts for its day, counted from the first day on; 0: unknown.
  const counts = new Uint32Array(last + 1);
  for (const { segment, matches } of found) {
    const { starts } = segment.data;
    eachBit(matches, (number) => (counts[Math.max(0, starts[number]! - before_first)]! += 1));
  }
  // The number of each day in `lists` plus 1; 0: another day.
  const places = new Uint16Array(last + 1);
  let [before, passed, listCount] = [0, 0, 0];
  for (let at = 1; at <= last + 1 && passed < skipped + size; at += 1) {
    const day = at > last ? 0 : isDescending ? last + 1 - at : at;
    const count = counts[day]!;
    if (passed + count <= skipped) before += count;
    else if (count > 0) places[day] = listCount += 1;
    passed += count;
  }
  if (listCount === 0) return [];
  const lists = Array.from({ length: listCount }, () => [] as number[]);
  for (const { segment, matches } of found) {
    const { starts } = segment.data;
    eachBit(matches, (number) => {
      const place = places[Math.max(0, starts[number]! - before_first)]!;
      if (place > 0) lists[place - 1]!.push(segment.idOf(number));
    });
  }
  const listed = lists.flatMap((ids) => ids.toSorted((one, other) => one - other));
  return listed.slice(skipped - before, skipped - before + size);
}
