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
  const counts = new Uint32Array(lastDay + 1);
  for (const { segment, matches } of found) {
    const { starts } = segment.data;
    eachBit(matches, (number) => (counts[starts[number]!]! += 1));
  }
  const [first, last] = boundsOf(found);
  const step = isDescending ? -1 : 1;
  // The number of each day in `lists` plus 1; 0: another day.
  const places = new Uint16Array(lastDay + 1);
  let [before, passed, listCount] = [0, 0, 0];
  const pass = (day: number) => {
    const count = counts[day]!;
    if (passed + count <= skipped) before += count;
    else if (count > 0 && passed < skipped + size) places[day] = listCount += 1;
    passed += count;
  };
  for (let day = isDescending ? last : first; day >= first && day <= last; day += step) pass(day);
  pass(0);
  if (listCount === 0) return [];
  const lists = Array.from({ length: listCount }, () => [] as number[]);
  for (const { segment, matches } of found) {
    const { starts } = segment.data;
    eachBit(matches, (number) => {
      const place = places[starts[number]!]!;
      if (place > 0) lists[place - 1]!.push(segment.idOf(number));
    });
  }
  const listed = lists.flatMap((ids) => ids.toSorted((one, other) => one - other));
  return listed.slice(skipped - before, skipped - before + size);
}

/** Returns the first and the last start day of segments. */
function boundsOf(found: readonly Matches[]): [first: number, last: number] {
  const days = found.flatMap(({ segment }) => segment.days);
  return [Math.min(lastDay, ...days), Math.max(1, ...days)];
}
