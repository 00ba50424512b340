import { countBits, listBits } from './search-bits.ts';
import type { Found, Search } from './search-index.ts';
import type { Segment } from './search-segment.ts';
import { findLowest } from './search-terms.ts';

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

  /** The segment of the newest snapshot. */
  get newest(): Segment | undefined {
    return this.all.toSorted((one, other) => one.head.snapshot_no - other.head.snapshot_no).at(-1);
  }

  get count(): number {
    return countAll(this.ranges);
  }

  get changed_count(): number {
    return countAll(this.changes);
  }

  /** When the oldest range was loaded. */
  get loaded_ms(): number {
    return Math.min(...this.ranges.map(({ head }) => Date.parse(head.loaded_at)));
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
    const others = isChange ? [...this.ranges, ...this.changes] : this.changes;
    for (const segment of loaded) {
      for (const other of others) {
        const isOlder = segment.head.snapshot_no < other.head.snapshot_no;
        if (isOlder) segment.outdate(other);
        else other.outdate(segment);
      }
    }
    if (isChange) this.changes.push(...loaded.filter(({ count }) => count > 0));
  }

  search({ filter, skipped, size }: Search): Found {
    const changed = this.changes
      .flatMap((one) => listBits(one.find(filter) ?? none).map((number) => one.idOf(number)))
      .toSorted((one, other) => one - other);
    const company_ids: number[] = [];
    let [total, changedBefore] = [0, 0];
    for (const segment of this.ranges) {
      const to = segment.head.to ?? Infinity;
      const changedUntil = findLowest(changed.length, (at) => changed[at]! >= to, changedBefore);
      const between = changed.slice(changedBefore, changedUntil);
      changedBefore = changedUntil;
      const matches = segment.find(filter) ?? none;
      const [first, before] = [Math.max(0, skipped - total), company_ids.length];
      total += countBits(matches) + between.length;
      if (before === size || total <= skipped) continue;
      // Some of those that are skipped may be changed ones.
      const passed = Math.max(0, first - between.length);
      const own = listBits(matches, passed, first - passed + size - before);
      const merged = [...own.map((number) => segment.idOf(number)), ...between].toSorted(
        (one, other) => one - other,
      );
      company_ids.push(...merged.slice(first - passed, first - passed + size - before));
    }
    return { snapshot_no: this.snapshot_no, total, company_ids };
  }
}

const none = new Uint32Array(0);

function countAll(segments: Segment[]): number {
  return segments.reduce((sum, { count }) => sum + count, 0);
}
