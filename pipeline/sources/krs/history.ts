import { isPossibleDay } from '../../calendar.ts';
import type { Folded, Items, ObjectShape } from './shape.ts';

type Item = Items[number];

/**
 * Joins the items of a history: KRS writes an end, or another person, as a separate item or in the item of the
 * opening. A separate item joins the last item before it that has an opening. An end joins the last one that is
 * open and began no later. Without such an item before it, it joins the next one. Items that match no opening
 * come first.
 */
export function joinHistory({ members }: ObjectShape, items: Items): Items {
  const keys = Object.keys(members);
  const [opening, end] = keys as [string, string];
  const joined = items.map((item) => (opening in item ? item : undefined));
  const left = items.filter((item, place) => {
    if (opening in item) return false;
    const isOpen = (other: Item | undefined) =>
      other !== undefined &&
      !(end in item && end in other) &&
      !(dayOf(other[opening]) > (dayOf(item[end]) || '9999'));
    const before = joined.findLastIndex((other, at) => at < place && isOpen(other));
    const at = before >= 0 ? before : joined.findIndex(isOpen);
    if (at >= 0) joined[at] = join(keys, joined[at]!, item);
    return at < 0;
  });
  return [...left, ...joined.filter((item) => item !== undefined)];
}

/** Returns both items as one, with its members in the order of `shape.csv`. */
function join(keys: readonly string[], item: Item, other: Item): Item {
  const members = keys.flatMap((key): [string, Folded][] => {
    const values = [item[key], other[key]].filter((value) => value !== undefined);
    const [first] = values;
    if (first === undefined) return [];
    return [[key, Array.isArray(first) ? values.flat() : first]];
  });
  return Object.fromEntries(members);
}

/** Returns the day of an opening or an end, YYYY-MM-DD; '' when the day is unknown. */
function dayOf(value: Folded | undefined): string {
  if (typeof value === 'string') return isPossibleDay(value) ? value : '';
  if (value === undefined || Array.isArray(value)) return '';
  const { data, entry_day } = value as Record<string, Folded>;
  return dayOf(data) || dayOf(entry_day);
}
