import { countBits, listBits } from './bits.ts';
import type { SearchFilter } from './filter.ts';
import { listByStart, type Matches, type sorts } from './result-order.ts';
import type { Segment } from './segment.ts';

/** If more than this share of the companies has changed, all companies are loaded again. */
const mostShare = 1 / 16;

/** The age in ms at which a segment is loaded again, so that no index file keeps deleted personal data for longer. */
const mostAge_ms = 7 * 86_400_000;

/** The codes of two errors: no snapshot is loaded yet, and a loaded segment is from another database. */
export const [notLoaded, otherDatabase] = ['NOT_LOADED', 'OTHER_DATABASE'];

/** A search: the filter, and which part of the matches is listed. */
export interface Search {
  filter: SearchFilter;
  /** The order of the matches, by default by ascending company id. */
  sort?: (typeof sorts)[number];
  skipped: number;
  size: number;
}

/** The result of a search: the count of all matches, and the company ids on the requested page. */
export interface Found {
  snapshot_no: number;
  total: number;
  company_ids: number[];
}

/** The companies of one snapshot: segments with all companies, and newer segments with changed companies. */
export class Segments {
  /** The segments with all companies, in the order of the company ids. */
  ranges: Segment[] = [];
  /** Segments with the companies that changed after `ranges` were loaded; none is older than a segment of `ranges`. */
  changes: Segment[] = [];

  /** The number of the snapshot that answers searches; -1: no snapshot is loaded yet. */
  get snapshot_no(): number {
    return this.changes[0]?.head.snapshot_no ?? -1;
  }

  /** The highest snapshot number of all segments; -1: no segment is loaded. */
  get newest_no(): number {
    return Math.max(-1, ...[...this.ranges, ...this.changes].map(({ head }) => head.snapshot_no));
  }

  /** The lowest snapshot number of the segments in `ranges`. */
  get base_no(): number {
    return Math.min(...this.ranges.map(({ head }) => head.snapshot_no));
  }

  /** The lowest company id that the loaded segments do not cover; null: the segments cover all ids. */
  get missing_from(): number | null {
    return this.ranges.length === 0 ? 0 : this.ranges.at(-1)!.head.to;
  }

  /** Whether all companies must be loaded again, because many companies have changed or a segment is too old. */
  get isWorn(): boolean {
    const oldest_ms = Math.min(...this.ranges.map(({ head }) => Date.parse(head.loaded_at)));
    const isMuch = countAll(this.changes) > countAll(this.ranges) * mostShare;
    return isMuch || oldest_ms < Date.now() - mostAge_ms;
  }

  /** Replaces one segment in `ranges` by one or more newly loaded segments of the same companies. */
  renew(range: Segment, loaded: readonly Segment[]): void {
    for (const segment of loaded) segment.exclude(this.changes);
    this.ranges = this.ranges.flatMap((one) => (one === range ? loaded : [one]));
  }

  /** Replaces the segments with changed companies by newly loaded segments. */
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

/** Returns the ids of a segment's matching companies without the first `passed` ids; at most `most` ids. */
function idsOf({ segment, matches }: Matches, passed = 0, most = Infinity): number[] {
  return listBits(matches, passed, most).map((number) => segment.idOf(number));
}

/** Returns one page of the ids of matching companies, in ascending order. */
function listById(changes: Matches[], ranges: Matches[], skipped: number, size: number) {
  const changed = changes.flatMap((one) => idsOf(one));
  // Up to `first` changed companies can be before the page, so fewer unchanged companies are skipped.
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
