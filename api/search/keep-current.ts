import { on } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { patience } from '../figures/timeouts.ts';
import type { Wanted } from './load-thread.ts';
import type { SearchPlace } from './index-socket.ts';
import { Segment, type SegmentData } from './segment.ts';
import { type Found, notLoaded, otherDatabase, type Search, Segments } from './segments.ts';

/** Index files that are older than 14 days are deleted: they belong to another version of this software. */
const unused_ms = 14 * 86_400_000;

export interface SearchQuestion {
  search: Search;
  /** The number of the oldest snapshot that may answer; an older one may if loading takes longer than `patience_ms`. */
  least_no: number;
  patience_ms: number;
}

/** Loads the snapshot that a search requires; segments.ts combines the changed companies with the older index. */
export class SearchStore {
  #segments = new Segments();
  readonly #place: SearchPlace;
  readonly #saved = new WeakSet<Segment>();
  #restoring: Promise<void> | undefined;
  #updating: Promise<void> | undefined;
  #tidying: Promise<void> | undefined;
  /** The error that a search throws while no snapshot is loaded. */
  #failure: unknown = Object.assign(new Error('No companies are loaded yet'), { code: notLoaded });

  constructor(place: SearchPlace) {
    this.#place = place;
  }

  /** Returns the companies that match a search. Throws if no snapshot is loaded. */
  async find({ search, least_no, patience_ms }: SearchQuestion): Promise<Found> {
    if (this.#segments.snapshot_no < Math.max(least_no, 0)) {
      // While no snapshot is loaded, a search waits longer, up to the database timeout, for the first snapshot.
      const wait_ms = this.#segments.snapshot_no === -1 ? patience.database_ms : patience_ms;
      await Promise.race([this.#reach(least_no), delay(wait_ms)]);
      if (this.#segments.snapshot_no === -1) throw this.#failure;
    }
    return this.#segments.search(search);
  }

  /** Loads changes until the snapshot `least_no` or a newer snapshot is loaded. Throws if loading fails twice. */
  async #reach(least_no: number): Promise<void> {
    for (let failed = 0; this.#segments.snapshot_no < Math.max(least_no, 0);) {
      try {
        this.#updating ??= this.#update(least_no).finally(() => (this.#updating = undefined));
        await this.#updating;
      } catch (error) {
        this.#failure = error;
        failed += 1;
        if (failed > 1) throw error;
      }
    }
  }

  async #update(least_no: number): Promise<void> {
    await (this.#restoring ??= this.#restore());
    const segments = this.#segments;
    const missing_from = segments.missing_from;
    if (missing_from !== null) {
      const all = { since: -1, from: missing_from, to: null, least_no };
      await this.#load(all, (range) => segments.ranges.push(range));
    }
    const changes = { since: segments.base_no, from: 0, to: null, least_no };
    segments.update(await this.#load(changes));
    // An error in `#tidy` is ignored, since the next update calls `#tidy` again.
    if (this.#tidying) return;
    this.#tidying = this.#tidy()
      .catch(() => undefined)
      .finally(() => (this.#tidying = undefined));
  }

  /** Starts a loader thread, calls `use` with each segment that arrives from it, and returns all these segments. */
  async #load(wanted: Omit<Wanted, 'publications'>, use?: (segment: Segment) => unknown) {
    const { ranges, changes, newest_no } = this.#segments;
    const known = new Set([...ranges, ...changes].map(({ head }) => head.publication));
    const least_no = Math.max(wanted.least_no, newest_no);
    const { servers } = this.#place;
    const loader = new Worker(new URL('load-thread.ts', import.meta.url), {
      workerData: { ...wanted, least_no, publications: [...known], servers },
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const segments: Segment[] = [];
    try {
      const loaded = on(loader, 'message', { close: ['exit'] });
      for await (const [data] of loaded as AsyncIterable<[SegmentData]>) {
        segments.push(new Segment(data));
        use?.(segments.at(-1)!);
      }
      return segments;
    } catch (error) {
      // The segments in memory are dropped if they are from another database.
      if ((error as { code?: string }).code === otherDatabase) this.#segments = new Segments();
      throw error;
    }
  }

  /** Loads all companies again if `isWorn` is true, while searches continue; then saves the index as files. */
  async #tidy(): Promise<void> {
    const segments = this.#segments;
    for (const range of segments.isWorn ? segments.ranges : []) {
      const { from, to } = range.head;
      const loaded = await this.#load({ since: -1, from, to, least_no: -1 });
      // Before a reloaded segment is used, `changes` must be at least as new as this segment.
      await this.#reach(loaded[0]!.head.snapshot_no);
      segments.renew(range, loaded);
    }
    if (this.#place.folder) await this.#save(this.#place.folder, segments.ranges);
  }

  #fileOf(folder: string, from: number): string {
    return join(folder, `${this.#place.name}-${from}`);
  }

  /** Reads the segments that an earlier index process saved in files, up to the first missing or damaged file. */
  async #restore(): Promise<void> {
    const { folder } = this.#place;
    if (folder === undefined) return;
    while (this.#segments.missing_from !== null) {
      const file = this.#fileOf(folder, this.#segments.missing_from);
      const data = await readFile(file).then(deserialize, () => undefined);
      if (!data) return;
      const range = new Segment(data as SegmentData);
      this.#saved.add(range);
      this.#segments.ranges.push(range);
    }
  }

  /** Saves segments in files that only this operating-system user may read (personal data), and deletes old files. */
  async #save(folder: string, ranges: readonly Segment[]): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const range of ranges) {
      if (this.#saved.has(range)) continue;
      const file = this.#fileOf(folder, range.head.from);
      await writeFile(`${file}.new`, serialize(range.data), { mode: 0o600 });
      await rename(`${file}.new`, file);
      this.#saved.add(range);
    }
    for (const name of await readdir(folder)) {
      const { mtimeMs } = await stat(join(folder, name));
      if (Date.now() - mtimeMs > unused_ms) await rm(join(folder, name), { recursive: true });
    }
  }
}
