import { on } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { readSegments, removeUnused, saveSegments } from './search-files.ts';
import type { Loaded, Wanted } from './search-loader.ts';
import type { SearchPlace } from './search-place.ts';
import { otherDatabase, Segment } from './search-segment.ts';
import { type Found, type Search, Segments } from './search-segments.ts';

/** More loads of changes are made one. */
const mostChanges = 8;

/** Where the companies are many, and where they are so few that they are loaded in about a second. */
export type Patience_ms = readonly [many: number, few: number];

export interface SearchQuestion {
  search: Search;
  /** The answer is of this snapshot or a newer one; of an older one where that takes longer to load. */
  least_no: number;
  patience_ms: Patience_ms;
}

/** The companies of the newest snapshot, and what keeps them so. */
export class SearchStore {
  #segments = new Segments();
  readonly #place: SearchPlace;
  /** Threads that load what changed next. */
  readonly #idle: Worker[] = [];
  #updating: Promise<void> | undefined;
  #isTidying = false;
  readonly #answers = new LRUCache<string, Found, () => Found>({
    max: 10_000,
    memoMethod: (_key, _stale, { context: find }) => find(),
  });

  constructor(place: SearchPlace) {
    this.#place = place;
  }

  /** Takes what another process has kept. */
  async restore(): Promise<void> {
    const { folder } = this.#place;
    if (folder === undefined) return;
    const segments = await readSegments(folder);
    for (const loaded of Map.groupBy(segments, ({ head }) => head.since).values()) {
      this.#segments.add(loaded);
    }
    await removeUnused(folder).catch(() => undefined);
  }

  /**
   * Finds companies in a snapshot that is at least `least_no`; in an older one where that takes longer
   * than the patience to load. Throws where it cannot be loaded.
   */
  async find({ search, least_no, patience_ms: [many, few] }: SearchQuestion): Promise<Found> {
    if (this.#segments.snapshot_no < Math.max(least_no, 0)) {
      const newer = this.#reach(least_no);
      const late = delay(this.#segments.ranges.length > 1 ? many : few);
      await Promise.race([newer, late]);
      if (this.#segments.snapshot_no === -1) await newer;
    }
    const segments = this.#segments;
    const key = JSON.stringify([segments.snapshot_no, search]);
    return this.#answers.memo(key, { context: () => segments.search(search) });
  }

  /** Loads until a snapshot that is at least `least_no` is there. Throws where that fails twice. */
  async #reach(least_no: number): Promise<void> {
    for (let failed = 0; this.#segments.snapshot_no < Math.max(least_no, 0);) {
      try {
        this.#updating ??= this.#update(least_no).finally(() => (this.#updating = undefined));
        await this.#updating;
      } catch (error) {
        // What is loaded stays, unless the database was replaced.
        const { code } = error as { code?: string };
        if (code === otherDatabase) this.#segments = new Segments();
        failed += 1;
        if (failed > 1) throw error;
      }
    }
  }

  async #update(least_no: number): Promise<void> {
    const segments = this.#segments;
    for (let from = segments.missing_from; from !== null; from = segments.missing_from) {
      await this.#load({ since: -1, from, to: null, least_no }, (loaded) => segments.add([loaded]));
    }
    await this.#loadChanges(segments.known_no, least_no);
    // What fails now is tried again after the next update.
    void this.#tidy().catch(() => undefined);
  }

  async #loadChanges(since: number, least_no: number): Promise<void> {
    const segments = this.#segments;
    const changes: Segment[] = [];
    const wanted = { since, from: 0, to: null, least_no };
    const snapshot_no = await this.#load(wanted, (loaded) => changes.push(loaded));
    segments.add(changes);
    segments.snapshot_no = Math.max(segments.snapshot_no, snapshot_no);
  }

  /** Makes of many segments few, while searches go on. */
  async #tidy(): Promise<void> {
    if (this.#isTidying) return;
    this.#isTidying = true;
    const segments = this.#segments;
    try {
      if (segments.changes.length > mostChanges) await this.#loadChanges(segments.base_no, -1);
      for (const { head } of segments.isWorn ? segments.ranges : []) {
        const ranges: Segment[] = [];
        const wanted = { ...head, since: -1, least_no: -1 };
        const snapshot_no = await this.#load(wanted, (loaded) => ranges.push(loaded));
        await this.#reach(snapshot_no);
        segments.add(ranges);
      }
      if (this.#place.folder) await saveSegments(this.#place.folder, segments.all);
    } finally {
      this.#isTidying = false;
    }
  }

  /** Loads segments. @returns the snapshot that they are of */
  async #load(
    wanted: Omit<Wanted, 'publication'>,
    use: (segment: Segment) => void,
  ): Promise<number> {
    const { newest } = this.#segments;
    const least_no = Math.max(wanted.least_no, newest?.snapshot_no ?? -1);
    const loader =
      this.#idle.pop() ??
      new Worker(new URL('search-loader.ts', import.meta.url), {
        workerData: this.#place.connections,
        resourceLimits: { maxYoungGenerationSizeMb: 4 },
      });
    loader.postMessage({ ...wanted, least_no, publication: newest?.publication ?? '' }, []);
    // An error ends the thread. The memory of a load of many companies goes with its thread, too.
    let isKept = false;
    try {
      for await (const [loaded] of on(loader, 'message') as AsyncIterable<[Loaded]>) {
        if (typeof loaded === 'object') use(new Segment(loaded));
        else {
          isKept = wanted.since !== -1;
          return loaded;
        }
      }
      throw new Error('The loader has ended');
    } finally {
      if (isKept) this.#idle.push(loader);
      else await loader.terminate();
    }
  }
}
