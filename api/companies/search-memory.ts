import type { Bits } from './search-bits.ts';

/** As many matches are remembered one by one; of more only how many are in each block. */
export const mostNumbers = 10_000;

/** All that matches a filter: how much it is, and where a page of it begins. */
export interface Matches {
  total: number;
  /** The numbers of the companies, ascending; undefined where there are too many of them. */
  numbers: Int32Array | undefined;
  /** How many match in each block, in the order of the blocks; empty where all numbers are here. */
  blocks: { block: number; count: number }[];
}

/** The companies that have something, by a bit each or by their numbers, ascending. */
export type SearchSet = Bits | Int32Array;

/** What is remembered of one kind. */
interface Shelf<Value> {
  find(key: string): Value | undefined;
  /** Keeps what was read in the snapshot that this run published; forgets those before it. */
  keep(run_id: string | null, key: string, value: Value): void;
}

/** What has been read of the newest snapshot. */
export interface SearchMemory {
  matches: Shelf<Matches>;
  sets: Shelf<SearchSet>;
  /** The run that published it; undefined when nothing has been read. */
  run_id(): string | null | undefined;
  /** Forgets what was read, when this run has published a later snapshot. */
  advance(run_id: string | null): void;
}

/** What is kept of each kind, in bytes: what was asked for longest ago goes. */
const [matchBytes, setBytes] = [32_000_000, 128_000_000];

/** What each weighs beyond its numbers. */
const leastBytes = 200;

function weighMatches({ numbers, blocks }: Matches): number {
  return leastBytes + (numbers?.byteLength ?? 0) + 40 * blocks.length;
}

function weighSet(set: SearchSet): number {
  return leastBytes + ('words' in set ? set.words.byteLength : set.byteLength);
}

function createShelf<Value>(most: number, weigh: (value: Value) => number) {
  const kept = new Map<string, Value>();
  let weight = 0;

  function forget(key: string): void {
    const value = kept.get(key);
    if (value === undefined) return;
    kept.delete(key);
    weight -= weigh(value);
  }

  return {
    clear() {
      kept.clear();
      weight = 0;
    },
    find(key: string): Value | undefined {
      const value = kept.get(key);
      // The map keeps the order of insertion.
      if (value !== undefined && kept.delete(key)) kept.set(key, value);
      return value;
    },
    add(key: string, value: Value): void {
      forget(key);
      kept.set(key, value);
      weight += weigh(value);
      for (const oldest of kept.keys()) {
        if (weight <= most || oldest === key) break;
        forget(oldest);
      }
    },
  };
}

/** A memory for the time of a process; each process has its own. */
export function createSearchMemory(): SearchMemory {
  const shelves = {
    matches: createShelf(matchBytes, weighMatches),
    sets: createShelf(setBytes, weighSet),
  };
  let keptRun: string | null | undefined;

  function advance(run_id: string | null): void {
    const isLater = keptRun === undefined || BigInt(run_id ?? 0) > BigInt(keptRun ?? 0);
    if (!isLater) return;
    for (const shelf of Object.values(shelves)) shelf.clear();
    keptRun = run_id;
  }

  function open<Value>(shelf: ReturnType<typeof createShelf<Value>>): Shelf<Value> {
    return {
      find: (key) => shelf.find(key),
      keep(run_id, key, value) {
        advance(run_id);
        // What began before the newest snapshot does not bring the old one back.
        if (run_id === keptRun) shelf.add(key, value);
      },
    };
  }

  return {
    matches: open(shelves.matches),
    sets: open(shelves.sets),
    run_id: () => keptRun,
    advance,
  };
}
