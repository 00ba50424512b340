import { countBits, listBits } from './bits.ts';
import type { SearchFilter } from './filter.ts';
import type { Segment } from './segment.ts';

/** A larger share of companies that changed is loaded into the ranges. */
const mostShare = 1 / 16;

/** The longest age of a range, so that nothing that was withdrawn stays in a file. */
const mostAge_ms = 7 * 86_400_000;

/** The codes of errors: no companies are loaded yet; the database lacks the publication of a segment. */
export const [notLoaded, otherDatabase] = ['NOT_LOADED', 'OTHER_DATABASE'];

/** A filter, and the part of the matches that is listed. */
export interface Search {
  filter: SearchFilter;
  skipped: number;
  size: number;
}

/** The result of a search in a snapshot: the count of all matches, and the ids in the listed part. */
export interface Found {
  snapshot_no: number;
  total: number;
  company_ids: number[];
}

/** The companies of one snapshot: segments of all companies, and segments of the ones that changed since. */
export class Segments {
  /** All companies, in the order of their ids. */
  ranges: Segment[] = [];
  /** The companies that changed since the oldest range, in the order of their ids; no range is newer. */
  changes: Segment[] = [];

  /** The snapshot of the answers; -1: not all is loaded. */
  get snapshot_no(): number {
    return this.changes[0]?.head.snapshot_no ?? -1;
  }

  /** The snapshot of the newest segment; -1: none is loaded. */
  get newest_no(): number {
    return Math.max(-1, ...[...this.ranges, ...this.changes].map(({ head }) => head.snapshot_no));
  }

  /** The snapshot of the oldest range. */
  get base_no(): number {
    return Math.min(...this.ranges.map(({ head }) => head.snapshot_no));
  }

  /** The id from which on companies are missing; null: none are. */
  get missing_from(): number | null {
    return this.ranges.length === 0 ? 0 : this.ranges.at(-1)!.head.to;
  }

  /** Whether the ranges are to be loaded again. */
  get isWorn(): boolean {
    const oldest_ms = Math.min(...this.ranges.map(({ head }) => Date.parse(head.loaded_at)));
    const isMuch = countAll(this.changes) > countAll(this.ranges) * mostShare;
    return isMuch || oldest_ms < Date.now() - mostAge_ms;
  }

  /** Adds a range after the last one. */
  extend(range: Segment): void {
    this.ranges.push(range);
  }

  /** Replaces a range by the segments of a newer load, which may be several. */
  renew(range: Segment, loaded: readonly Segment[]): void {
    for (const segment of loaded) segment.exclude(this.changes);
    this.ranges = this.ranges.flatMap((one) => (one === range ? loaded : [one]));
  }

  /** Replaces the changes by all that changed since the oldest range. */
  update(changes: Segment[]): void {
    for (const range of this.ranges) range.exclude(changes);
    this.changes = changes;
  }

  search({ filter, skipped, size }: Search): Found {
    const changed = this.changes.flatMap((one) =>
      listBits(one.find(filter)).map((number) => one.idOf(number)),
    );
    // Any of the changed companies may be before the page: so many less are passed, so many more listed.
    let passed = Math.max(0, skipped - changed.length);
    const first = skipped - passed;
    let [total, wanted] = [changed.length, size + first];
    const listed = [changed];
    for (const segment of this.ranges) {
      const matches = segment.find(filter);
      const count = countBits(matches);
      const numbers = count > passed ? listBits(matches, passed, wanted) : [];
      listed.push(numbers.map((number) => segment.idOf(number)));
      total += count;
      passed = Math.max(0, passed - count);
      wanted -= numbers.length;
    }
    const company_ids = listed
      .flat()
      .toSorted((one, other) => one - other)
      .slice(first, first + size);
    return { snapshot_no: this.snapshot_no, total, company_ids };
  }
}

function countAll(segments: Segment[]): number {
  return segments.reduce((sum, { count }) => sum + count, 0);
}
