import { countBits, listBits } from './bits.ts';
import type { SearchFilter } from './filter.ts';
import { listByStart, type Matches, type sorts } from './result-order.ts';
import type { Segment } from './segment.ts';

/** If a larger share of companies has changed, all companies are loaded again. */
const mostShare = 1 / 16;

/** The age in ms at which a segment is loaded again, so that no index file keeps withdrawn data. */
const mostAge_ms = 7 * 86_400_000;

/** The codes of two errors: no companies are loaded yet, and a segment is from another database. */
export const [notLoaded, otherDatabase] = ['NOT_LOADED', 'OTHER_DATABASE'];

/** A search: a filter, and the part of its matches to list. */
export interface Search {
  filter: SearchFilter;
  /** The order of the matches; by default by ascending id. */
  sort?: (typeof sorts)[number];
  skipped: number;
  size: number;
}

/** The result of a search: the count of all matches, and the ids on the requested page. */
export interface Found {
  snapshot_no: number;
  total: number;
  company_ids: number[];
}

/** The companies of one snapshot: segments of all companies (`ranges`), and newer segments of changed companies. */
export class Segments {
  /** The segments of all companies, in the order of their ids. */
  ranges: Segment[] = [];
  /** The segments of companies that changed since `ranges` were loaded. No segment of `ranges` has a newer snapshot. */
  changes: Segment[] = [];

  /** The number of the snapshot that answers searches; -1: companies are not loaded yet. */
  get snapshot_no(): number {
    return this.changes[0]?.head.snapshot_no ?? -1;
  }

  /** The number of the newest segment's snapshot; -1: no segment is loaded. */
  get newest_no(): number {
    return Math.max(-1, ...[...this.ranges, ...this.changes].map(({ head }) => head.snapshot_no));
  }

  /** The number of the oldest snapshot from which a segment of `ranges` was loaded. */
  get base_no(): number {
    return Math.min(...this.ranges.map(({ head }) => head.snapshot_no));
  }

  /** The lowest company id that no segment of `ranges` covers; null: the segments cover all ids. */
  get missing_from(): number | null {
    return this.ranges.length === 0 ? 0 : this.ranges.at(-1)!.head.to;
  }

  /** Whether all companies must be loaded again, because many companies changed or a segment is old. */
  get isWorn(): boolean {
    const oldest_ms = Math.min(...this.ranges.map(({ head }) => Date.parse(head.loaded_at)));
    const isMuch = countAll(this.changes) > countAll(this.ranges) * mostShare;
    return isMuch || oldest_ms < Date.now() - mostAge_ms;
  }

  /** Replaces one segment of `ranges` by one or more newly loaded segments. */
  renew(range: Segment, loaded: readonly Segment[]): void {
    for (const segment of loaded) segment.exclude(this.changes);
    this.ranges = this.ranges.flatMap((one) => (one === range ? loaded : [one]));
  }

  /** Replaces the segments of changed companies by newly loaded segments. */
  update(changes: Segment[]): void {
    for (const range of this.ranges) range.exclude(changes);
    this.changes = changes;
  }

  search({ filter, sort = 'added', skipped, size }: Search): Found {
    const find = (segment: Segment) => ({ segment, matches: segment.find(filter) });
    const [changed, found] = [this.changes.map(find), this.ranges.map(find)];
    const all = [...changed, ...found];
    const total = all.reduce((sum, { matches }) => sum + countBits(matches), 0);
    const isDescending = sort === '-activity_start';
    const company_ids =
      sort === 'added'
        ? listById(changed, found, skipped, size)
        : listByStart(all, { skipped, size, isDescending });
    return { snapshot_no: this.snapshot_no, total, company_ids };
  }
}

/** Returns the ids of matching companies of a segment: at most `most` after the first `passed`. */
function idsOf({ segment, matches }: Matches, passed = 0, most = Infinity): number[] {
  return listBits(matches, passed, most).map((number) => segment.idOf(number));
}

/** Returns one page of the ids of matching companies, ascending. */
function listById(changes: Matches[], ranges: Matches[], skipped: number, size: number) {
  const changed = changes.flatMap((one) => idsOf(one));
  // Up to `first` changed companies may sort before the page, so fewer unchanged companies are skipped.
  const first = Math.min(skipped, changed.length);
  let [passed, wanted] = [skipped - first, size + first];
  const others = ranges.flatMap((one) => {
    const ids = idsOf(one, passed, wanted);
    passed = Math.max(0, passed - countBits(one.matches));
    wanted -= ids.length;
    return ids;
  });
  const sorted = [...changed, ...others].toSorted((one, other) => one - other);
  return sorted.slice(first, first + size);
}

function countAll(segments: Segment[]): number {
  return segments.reduce((sum, { count }) => sum + count, 0);
}
