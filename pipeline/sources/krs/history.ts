import { isPossibleDay } from '../../calendar.ts';
import type { Folded, Items, ObjectShape } from './shape.ts';

type Item = Items[number];

/**
 * Joins the items of a history: KRS writes an end, or another person, as an item of its own as well as into
 * the item of the opening. An item without an opening belongs to the last one before it that has begun, an
 * end to the last one before it that is open and has not begun later; where none is before it, to the next
 * one. What belongs to no opening comes first.
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

/** Both items in one, with its members in the order of the table. */
function join(keys: readonly string[], item: Item, other: Item): Item {
  const members = keys.flatMap((key): [string, Folded][] => {
    const values = [item[key], other[key]].filter((value) => value !== undefined);
    const [first] = values;
    if (first === undefined) return [];
    return [[key, Array.isArray(first) ? values.flat() : first]];
  });
  return Object.fromEntries(members);
}

/** The day of an opening or an end; '' where it is not known. */
function dayOf(value: Folded | undefined): string {
  if (typeof value === 'string') return isPossibleDay(value) ? value : '';
  if (value === undefined || Array.isArray(value)) return '';
  const { data, entry_day } = value as Record<string, Folded>;
  return dayOf(data) || dayOf(entry_day);
}
