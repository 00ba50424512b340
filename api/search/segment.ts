import { addBit, allBits, hasBit, noBits, removeBit, type Bits } from './bits.ts';
import type { SearchFilter } from './filter.ts';
import { NameIndex, type NameArrays } from './names.ts';
import { findLowest, TermIndex, type TermArrays } from './term-index.ts';

/** The search filters that compare a whole column of `search_rows.sql`, in the order of the columns. */
export const columns = [
  'country',
  'status',
  'voivodeship',
  'legal_form',
  'city',
  'postal_code',
] as const;

/**
 * The first digit of a term tells its kind: 6, 7, 8 for divisions, activities and workforces, lower digits for columns.
 */
export const [divisionKind, activityKind, workforceKind] = [6, 7, 8];

/** The length of the code of a division of activities; each activity code begins with its division's code. */
export const divisionLength = 2;

/** Returns a count of employees as text of fixed length, so that texts sort like numbers. */
export const workforceText = (count: number) => workforceKind + String(count).padStart(9, '0');

/** Returns the count of days from the year 0 to a day. */
export function dayOf(text: string): number {
  return Date.parse(text) / 86_400_000 + 719_529;
}

/** The latest start day that a company can have: `registry.calendar_day` in the database reads no later day. */
export const lastDay = dayOf('2199-12-31');

/** The origin of a segment of the index. The ids of the segment's companies are at least `from` and below `to`. */
export interface SegmentHead {
  from: number;
  /** The exclusive upper bound of the segment's ids; null: no upper bound. */
  to: number | null;
  /** The number of the snapshot from which the segment was loaded. */
  snapshot_no: number;
  /** The number and publication time of the snapshot, which reveal a replaced or restored database. */
  publication: string;
  loaded_at: string;
}

/** The companies of a segment with their searchable values. A company's number is its index in `ids`. */
export interface SegmentData extends NameArrays {
  head: SegmentHead;
  /** The ids of the companies, ascending, each reduced by `first_id`. */
  ids: Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  /** The lowest company id, a safe integer (below 2^53), since registry.last_id in the database limits all ids. */
  first_id: number;
  /** The start days of the companies, as `dayOf` counts days; 0: unknown. */
  starts: Uint32Array<ArrayBuffer>;
  /** The terms of the companies for all filters except start day and name, sorted by text. */
  terms: TermArrays;
}

const none: Bits = noBits(0);

/** Searches the companies of one segment. The data is immutable; only the set of current companies changes. */
export class Segment {
  readonly data: SegmentData;
  readonly #terms: TermIndex;
  readonly #names: NameIndex;
  /** The companies that have not changed since the segment was loaded. */
  #current: Bits;
  /** The companies that match the running search; each search overwrites this set. */
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

  /** Excludes the companies of `changes` from searches, and includes those that only an earlier call excluded. */
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

  /** Returns the set of companies that match a filter. The next search overwrites the set. */
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
    // The filter of start days runs last, since it reads every company that the other filters keep.
    if (from ?? to) this.#keepStarts(from ? dayOf(from) : 1, to ? dayOf(to) : lastDay);
    return this.#matches;
  }

  /** Matches only the company with the given id, or no company for null. */
  #matchOnly(id: number | null): void {
    this.#matches.fill(0);
    const wanted = id ?? -1;
    const number = findLowest(this.count, (one) => this.idOf(one) >= wanted);
    if (number < this.count && this.idOf(number) === wanted && hasBit(this.#current, number))
      addBit(this.#matches, number);
  }

  /** Keeps the companies that started on a day from `from` to `to`. */
  #keepStarts(from: number, to: number): void {
    const [matches, { starts }] = [this.#matches, this.data];
    for (let at = 0; at < matches.length; at += 1) {
      let kept = 0;
      for (let word = matches[at]!; word !== 0; word &= word - 1) {
        const bit = word & -word;
        const start = starts[at * 32 + 31 - Math.clz32(bit)]!;
        // Outside the range one difference is negative, and its sign clears the bit. An `if` would be slower.
        kept |= bit & ~(((start - from) | (to - start)) >> 31);
      }
      matches[at] = kept;
    }
  }
}

/** Returns a range of terms for each filter except start day and name. A match has a term in every range. */
function listTerms(filter: SearchFilter): [from: string, to: string][] {
  const { activity_code, activity_prefix, postal_prefix, workforce_min } = filter;
  const terms: [string, string][] = [];
  const add = (kind: number, value: string | undefined, end = '\u{10ffff}') => {
    if (value !== undefined) terms.push([kind + value, kind + value + end]);
  };
  for (const [kind, column] of columns.entries()) add(kind, filter[column], '\0');
  add(columns.indexOf('postal_code'), postal_prefix);
  // No complete activity code is the prefix of another code, so both filters can search by prefix.
  for (const code of [activity_code, activity_prefix])
    add(code && code.length > divisionLength ? activityKind : divisionKind, code);
  if (workforce_min !== undefined)
    terms.push([workforceText(workforce_min), `${workforceKind}\u{10ffff}`]);
  return terms;
}
