import { addBit, allBits, hasBit, noBits, removeBit, type Bits } from './bits.ts';
import type { SearchFilter } from './filter.ts';
import { NameIndex, type NameArrays } from './names.ts';
import { findLowest, TermIndex, type TermArrays } from './term-index.ts';

/** The search filters that must equal a whole column of `search_rows.sql`, in the order of these columns. */
export const columns = [
  'country',
  'status',
  'voivodeship',
  'legal_form',
  'city',
  'postal_code',
] as const;

/** The first digit of a term is its kind: 6, 7, 8 for divisions, activities and workforces, below 6 for `columns`. */
export const [divisionKind, activityKind, workforceKind] = [6, 7, 8];

/** The length of the code of an activity's division, with which each activity code begins (`47` of `4711Z`). */
export const divisionLength = 2;

/** Returns the term for a count of employees, of fixed length, so that these terms sort like numbers. */
export const workforceText = (count: number) => workforceKind + String(count).padStart(9, '0');

/** Returns a day (`2026-11-06`) as the count of days since the year 0. */
export function dayOf(text: string): number {
  return Date.parse(text) / 86_400_000 + 719_529;
}

/** The latest possible start day of a company, since `registry.calendar_day` in the database accepts no later day. */
export const lastDay = dayOf('2199-12-31');

/** The origin of a segment of the index, whose companies have ids of at least `from` and less than `to`. */
export interface SegmentHead {
  from: number;
  /** The ids of the segment's companies are less than `to`; null: no upper bound. */
  to: number | null;
  /** The number of the snapshot from which the segment was loaded. */
  snapshot_no: number;
  /** The number and the publication time of the snapshot, by which another or a restored database is detected. */
  publication: string;
  loaded_at: string;
}

/** The companies of a segment, with the values that searches compare. The number of a company is its index in `ids`. */
export interface SegmentData extends NameArrays {
  head: SegmentHead;
  /** The ids of the companies in ascending order, as differences to `first_id`. */
  ids: Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  /** The lowest company id of the segment; registry.last_id in the database keeps ids below 2^53 (safe integers). */
  first_id: number;
  /** The start day of each company, as `dayOf` returns it; 0: unknown. */
  starts: Uint32Array<ArrayBuffer>;
  /** The terms (bitmaps of term-index.ts), sorted by text, for all search filters except start day and name. */
  terms: TermArrays;
}

const none: Bits = noBits(0);

/** Searches the companies of one segment, whose data does not change (only the set `#current` changes). */
export class Segment {
  readonly data: SegmentData;
  readonly #terms: TermIndex;
  readonly #names: NameIndex;
  /** The companies of the segment that have not changed since the segment was loaded. */
  #current: Bits;
  /** The companies that match the current search; the next search overwrites this set. */
  readonly #matches: Bits;

  constructor(data: SegmentData) {
    this.data = data;
    this.#terms = new TermIndex(data.terms, this.count);
    this.#names = new NameIndex(data, this.count);
    this.#matches = noBits(this.count);
    this.#current = allBits(this.count);
  }

  get head(): SegmentHead {
    return this.data.head;
  }

  get count(): number {
    return this.data.ids.length;
  }

  idOf(number: number): number {
    return this.data.first_id + this.data.ids[number]!;
  }

  /** Excludes exactly the companies in `changes` from searches of this segment. */
  exclude(changes: readonly Segment[]): void {
    const current = allBits(this.count);
    let at = 0;
    for (const change of changes) {
      for (let number = 0; number < change.count; number += 1) {
        const id = change.idOf(number);
        while (at < this.count && this.idOf(at) < id) at += 1;
        if (at < this.count && this.idOf(at) === id) removeBit(current, at);
      }
    }
    this.#current = current;
  }

  /** Returns the set of current companies that match a filter; the next search overwrites this set. */
  find(filter: SearchFilter): Bits {
    const { activity_start_from: from, activity_start_to: to, name } = filter;
    if (filter.company_id === undefined) this.#matches.set(this.#current);
    else this.#matchOnly(filter.company_id);
    for (const [text, before] of listTerms(filter)) {
      const terms = this.#terms.listTerms(text, before);
      if (terms.length === 0) return none;
      this.#terms.keepOwners(this.#matches, terms);
    }
    if (name !== undefined) this.#names.keep(this.#matches, name.split(' '));
    // The filter by start day is applied last, since it reads every company that the other filters keep.
    if (from ?? to) this.#keepStarts(from ? dayOf(from) : 1, to ? dayOf(to) : lastDay);
    return this.#matches;
  }

  /** Puts only the company with the given id (null: no company) into the set of matches. */
  #matchOnly(id: number | null): void {
    this.#matches.fill(0);
    const wanted = id ?? -1;
    const number = findLowest(this.count, (one) => this.idOf(one) >= wanted);
    if (number < this.count && this.idOf(number) === wanted && hasBit(this.#current, number))
      addBit(this.#matches, number);
  }

  /** Removes from the matches the companies whose start day is not between `from` and `to`. */
  #keepStarts(from: number, to: number): void {
    const [matches, { starts }] = [this.#matches, this.data];
    for (let at = 0; at < matches.length; at += 1) {
      let kept = 0;
      for (let word = matches[at]!; word !== 0; word &= word - 1) {
        const bit = word & -word;
        const start = starts[at * 32 + 31 - Math.clz32(bit)]!;
        // Outside the range, one difference is negative, and its sign clears the bit: faster than an `if`.
        kept |= bit & ~(((start - from) | (to - start)) >> 31);
      }
      matches[at] = kept;
    }
  }
}

/** Returns a range of terms per filter (except start day and name). A matching company has a term in each range. */
function listTerms(filter: SearchFilter): [from: string, to: string][] {
  const { activity_code, activity_prefix, postal_prefix, workforce_min } = filter;
  const terms: [string, string][] = [];
  const add = (kind: number, value: string | undefined, end = '\u{10ffff}') => {
    if (value !== undefined) terms.push([kind + value, kind + value + end]);
  };
  for (const [kind, column] of columns.entries()) add(kind, filter[column], '\0');
  add(columns.indexOf('postal_code'), postal_prefix);
  // A complete activity code is no prefix of another code, so `activity_code` can be searched as a prefix too.
  for (const code of [activity_code, activity_prefix])
    add(code && code.length > divisionLength ? activityKind : divisionKind, code);
  if (workforce_min !== undefined)
    terms.push([workforceText(workforce_min), `${workforceKind}\u{10ffff}`]);
  return terms;
}
