/** As many matches are remembered one by one; of more only how many are in each block. */
export const mostNumbers = 40_000;

/** All that matches a filter: how much it is, and where a page of it begins. */
export interface Matches {
  total: number;
  /** The numbers of the companies, ascending; undefined where there are too many of them. */
  numbers: Int32Array | undefined;
  /** How many match in each block, in the order of the blocks; empty where all numbers are here. */
  blocks: { block: number; count: number }[];
}

/** What has been counted in the newest snapshot. */
export interface SearchMemory {
  find(key: string): Matches | undefined;
  /** Keeps what was counted in the snapshot that this run published; forgets those before it. */
  keep(run_id: string | null, key: string, matches: Matches): void;
  /** Whether this run published what is kept; otherwise nothing is kept any more. */
  isOf(run_id: string | null): boolean;
}

/** Numbers and blocks, of 4 bytes and more each, that are kept: those that were asked for longest ago go. */
const mostKept = 8_000_000;

/** What an answer weighs beyond its numbers. */
const weightOfOne = 50;

function weigh({ numbers, blocks }: Matches): number {
  return weightOfOne + (numbers?.length ?? 0) + 10 * blocks.length;
}

/** A memory for the time of a process; each process has its own. */
export function createSearchMemory(): SearchMemory {
  const kept = new Map<string, Matches>();
  let keptRun: string | null | undefined;
  let weight = 0;

  function forgetAll(): void {
    kept.clear();
    weight = 0;
  }

  return {
    find(key) {
      const matches = kept.get(key);
      if (matches) {
        // The map keeps the order of insertion.
        kept.delete(key);
        kept.set(key, matches);
      }
      return matches;
    },
    keep(run_id, key, matches) {
      if (run_id !== keptRun) {
        // A request that began before the newest snapshot does not bring the old one back.
        if (BigInt(run_id ?? 0) < BigInt(keptRun ?? 0)) return;
        forgetAll();
        keptRun = run_id;
      }
      const known = kept.get(key);
      if (known) weight -= weigh(known);
      kept.set(key, matches);
      weight += weigh(matches);
      for (const [oldest, { numbers, blocks, total }] of kept) {
        if (weight <= mostKept || oldest === key) break;
        kept.delete(oldest);
        weight -= weigh({ numbers, blocks, total });
      }
    },
    isOf(run_id) {
      if (run_id === keptRun) return true;
      if (BigInt(run_id ?? 0) > BigInt(keptRun ?? 0)) {
        forgetAll();
        keptRun = run_id;
      }
      return false;
    },
  };
}
