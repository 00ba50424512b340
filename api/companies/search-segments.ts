import { countBits, listBits } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import type { Segment, SegmentHead } from './search-segment.ts';

/** A larger share of companies that changed is put into the ranges. */
const mostShare = 1 / 16;

/** A range is loaded anew after so long, so that nothing that was withdrawn stays in a file. */
const mostAge_ms = 7 * 86_400_000;

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

/**
 * The companies of one snapshot: segments that have all companies of a range of ids, and segments of what
 * changed since. Of a company in several segments the one of the newest snapshot counts.
 */
export class Segments {
  /** Ascending, without a gap. */
  ranges: Segment[] = [];
  /** The oldest first. */
  changes: Segment[] = [];
  /** The snapshot of the answers; -1: nothing is loaded. */
  snapshot_no = -1;

  /** The id from which on companies are missing; null: none are. */
  get missing_from(): number | null {
    return this.ranges.length === 0 ? 0 : this.ranges.at(-1)!.head.to;
  }

  /** The snapshot of the oldest range. */
  get base_no(): number {
    return Math.min(...this.ranges.map(({ head }) => head.snapshot_no));
  }

  /** All that changed until this snapshot is there. */
  get known_no(): number {
    return Math.max(this.base_no, ...this.changes.map(({ head }) => head.snapshot_no));
  }

  get all(): Segment[] {
    return [...this.ranges, ...this.changes];
  }

  /** Of the segment of the newest snapshot. */
  get newest(): SegmentHead | undefined {
    const heads = this.all.map(({ head }) => head);
    return heads.toSorted((one, other) => other.snapshot_no - one.snapshot_no)[0];
  }

  /** Whether the ranges are to be loaded anew. */
  get isWorn(): boolean {
    const oldest_ms = Math.min(...this.ranges.map(({ head }) => Date.parse(head.loaded_at)));
    const isMuch = countAll(this.changes) > countAll(this.ranges) * mostShare;
    return isMuch || oldest_ms < Date.now() - mostAge_ms;
  }

  /** Adds what one load has found, in the order of ids, instead of older segments of the same companies. */
  add(loaded: readonly Segment[]): void {
    const [{ from, since }, { to }] = [loaded[0]!.head, loaded.at(-1)!.head];
    const isChange = since !== -1;
    if (isChange) this.changes = this.changes.filter(({ head }) => head.since < since);
    else {
      const isKept = ({ head }: Segment) => head.from < from || (to !== null && head.from >= to);
      this.ranges = [...this.ranges.filter(isKept), ...loaded].toSorted(
        (one, other) => one.head.from - other.head.from,
      );
      this.changes = this.changes.filter(({ head }) => head.snapshot_no > this.base_no);
    }
    for (const segment of loaded) {
      for (const other of isChange ? this.all : this.changes) {
        const isOlder = segment.head.snapshot_no < other.head.snapshot_no;
        if (isOlder) segment.outdate(other);
        else other.outdate(segment);
      }
    }
    if (isChange) this.changes.push(...loaded.filter(({ count }) => count > 0));
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
