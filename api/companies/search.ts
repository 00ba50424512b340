import { sql, type Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import type { Charge, Charging } from '../wallet/charge.ts';
import { countBits, listBits, type Bits } from './search-bits.ts';
import type { SearchFilter } from './search-filter.ts';
import {
  conditionOf,
  findInTable,
  listInBlocks,
  matchesOf,
  placeWindow,
  takeFrom,
  type Found,
  type Window,
} from './search-match.ts';
import { createSearchMemory, mostNumbers, type Matches } from './search-memory.ts';
import { createSetReader, readMatching, readNamed } from './search-read.ts';
import { takePage, type Page } from './search-page.ts';
import { findInSets, isOfSets, namesOfSets } from './search-sets.ts';

/** A name is looked for in so many companies one by one. */
const mostLookedAt = 4_000;

export interface FoundPage extends Page {
  total: number;
}

/** A search, and which part of its results. */
export interface Asked {
  filter: SearchFilter;
  window: Window;
}

/** The search. */
export interface Search {
  /** Finds out which companies are in the window. */
  find(asked: Asked): Promise<Found>;
  /** Reads those that were found, and charges for them. */
  take(asked: Asked, found: Found, charge: Charge): Promise<FoundPage>;
}

function keyOf({ filter }: Asked): string {
  return JSON.stringify(filter);
}

/** Numbers and matches of what was found in sets. */
function show(found: Bits | Int32Array, window: Window): Omit<Found, 'run_id'> {
  if (found instanceof Int32Array) {
    return { matches: matchesOf(found), numbers: takeFrom(found, window) };
  }
  const blocks = countBits(found);
  const total = blocks.reduce((sum, { count }) => sum + count, 0);
  const listAll = () =>
    listBits(
      found,
      blocks.map(({ block }) => block),
    );
  if (total <= mostNumbers) return show(Int32Array.from(listAll()), window);
  const matches = { total, numbers: undefined, blocks };
  const { blocks: shown, skipped, size } = placeWindow(matches, window);
  return { matches, numbers: listBits(found, shown).slice(skipped, skipped + size) };
}

/**
 * Makes the search. What it reads is remembered until the next snapshot, from whichever registry;
 * total and results of an answer are always of one snapshot.
 */
export function createSearch(db: Kysely<Tables>, charging: Charging): Search {
  const memory = createSearchMemory();
  const readSets = createSetReader(db, memory);

  // Where few companies have all else, a name is looked for in those alone.
  async function findNamed({ filter, window }: Asked): Promise<Found | undefined> {
    const { name, ...others } = filter;
    if (name === undefined || memory.sets.find(`name ${name}`)) return undefined;
    const known = await readSets(namesOfSets({ ...others, name: undefined }));
    const { matches, numbers } = show(findInSets({ ...others, name: undefined }, known.sets), {
      skipped: 0,
      size: mostLookedAt,
    });
    if (matches.total > mostLookedAt) return undefined;
    const named = await readNamed(db, name, numbers);
    // What a night published in between is found in another way.
    if (named.run_id !== known.run_id) return undefined;
    return { run_id: known.run_id, ...show(named.set, window) };
  }

  async function find(asked: Asked): Promise<Found> {
    const { filter, window } = asked;
    // Few companies have it: all else is looked for in those.
    const { postal_code, ...others } = filter;
    if (postal_code !== undefined) {
      const hasPostalCode = sql<boolean>`search.postal_code = ${postal_code}`;
      const hasOthers = conditionOf({ ...others, postal_code: undefined }, true);
      const { run_id, set } = await readMatching(db, sql`${hasPostalCode} and ${hasOthers}`);
      return { run_id, ...show(set, window) };
    }
    if (!isOfSets(filter)) return findInTable(db, filter, window);
    const named = await findNamed(asked);
    if (named) return named;
    const { run_id, sets } = await readSets(namesOfSets(filter));
    return { run_id, ...show(findInSets(filter, sets), window) };
  }

  /** The numbers in a window of what is known to match. */
  async function findAgain(asked: Asked, matches: Matches): Promise<Found> {
    const { filter, window } = asked;
    const run_id = memory.run_id() ?? null;
    if (matches.numbers) return { run_id, matches, numbers: takeFrom(matches.numbers, window) };
    const place = placeWindow(matches, window);
    const [first, last] = [place.blocks[0], place.blocks.at(-1)];
    if (first === undefined || last === undefined) return { run_id, matches, numbers: [] };
    if (isOfSets(filter)) {
      const known = await readSets(namesOfSets(filter));
      // What is known to match is that of a snapshot before this one.
      if (known.run_id !== run_id) return find(asked);
      const found = findInSets(filter, known.sets, { first, end: last + 1 });
      return { run_id, matches, numbers: show(found, place).numbers };
    }
    return { run_id, matches, numbers: await listInBlocks(db, filter, place) };
  }

  async function findPage(asked: Asked): Promise<Found> {
    const matches = memory.matches.find(keyOf(asked));
    return matches ? findAgain(asked, matches) : find(asked);
  }

  return {
    find: findPage,
    async take(asked, first, charge) {
      for (let found = first; ; found = await findPage(asked)) {
        const page = await takePage(db, charging, found, charge);
        memory.advance(page.run_id);
        // What was published in the meantime must not part the total from the results.
        if (page.run_id !== found.run_id) continue;
        memory.matches.keep(page.run_id, keyOf(asked), found.matches);
        return { ...page, total: found.matches.total };
      }
    },
  };
}
