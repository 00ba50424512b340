import { sql, type Kysely, type RawBuilder } from 'kysely';
import { prepared } from '../sql/prepared.ts';
import type { Tables } from '../sql/tables.ts';
import { blockBits, joinLists, readBits, type Bits } from './search-bits.ts';
import type { SearchMemory, SearchSet } from './search-memory.ts';
import { newestRun } from './search-run.ts';
import type { ListKind, SearchSets } from './search-sets.ts';

/** A name of so many companies is known by their numbers; of more it is looked for one by one. */
const mostNamed = 200_000;

/** Sets, all of the snapshot that a run published. */
export interface KnownSets {
  run_id: string | null;
  sets: SearchSets;
}

interface Row {
  run_id: string | null;
}

const newest = sql`(select ${newestRun} as run_id) as newest`;

async function readTerms(db: Kysely<Tables>, terms: string[]): Promise<KnownSets> {
  const { rows } = await sql<Row & { term: string | null; block: number; bits: Buffer }>`${prepared}
    select newest.run_id, known.term, known.block, bit_send(known.bits) as bits
    from ${newest}
    left join registry.search_bits as known on known.term = any(${terms}::text[])
  `.execute(db);
  const byTerm = Map.groupBy(rows, ({ term }) => term);
  const sets = terms.map((term) => [term, readBits(byTerm.get(term) ?? [])] as const);
  return { run_id: rows[0]!.run_id, sets: new Map(sets) };
}

// Postgres writes an array as {1,2,3}.
function readArray(text: string, added = 0): Int32Array {
  const numbers = new Int32Array(text.length >> 1);
  let [length, number] = [0, 0];
  for (let at = 1; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) number = number * 10 + digit;
    else {
      numbers[length] = number + added;
      length += 1;
      number = 0;
    }
  }
  return text === '{}' ? new Int32Array() : numbers.slice(0, length);
}

/** What was read in the snapshot that a run published, and of how many companies it was made. */
interface ReadSet {
  run_id: string | null;
  set: Bits | Int32Array;
  length: number;
}

function setOf(run_id: string | null, lists: Int32Array[]): ReadSet {
  const length = lists.reduce((sum, list) => sum + list.length, 0);
  return { run_id, set: joinLists(lists), length };
}

/** The companies of activities, read on two connections at once; `condition` is on `known`. */
async function readPlaces(db: Kysely<Tables>, condition: RawBuilder<unknown>): Promise<ReadSet> {
  const halves = await Promise.all(
    [0, 1].map(async (half) => {
      const { rows } = await sql<Row & { block: number | null; places: string }>`${prepared}
        select newest.run_id, known.block, known.places::text
        from ${newest}
        left join registry.search_places as known
            on ${condition} and known.block % 2 = ${half}::integer
      `.execute(db);
      return rows;
    }),
  );
  const [run_id, ...others] = new Set(halves.map((rows) => rows[0]!.run_id));
  // A night was published in between.
  if (others.length > 0) return readPlaces(db, condition);
  const lists = halves.flat().flatMap(({ block, places }) => {
    return block === null ? [] : readArray(places, block << blockBits);
  });
  return setOf(run_id ?? null, lists);
}

/** @param table of companies, as `search`, and which of them */
export async function readNumbers(
  db: Kysely<Tables>,
  table: RawBuilder<unknown>,
): Promise<ReadSet> {
  const { rows } = await sql<Row & { numbers: string }>`
    select newest.run_id, array(select search.search_no from ${table})::text as numbers
    from ${newest}
  `.execute(db);
  return setOf(rows[0]!.run_id, [readArray(rows[0]!.numbers)]);
}

export function hasName(name: string): RawBuilder<boolean> {
  const pattern = name.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return sql`search.name like ${`%${pattern}%`}`;
}

// A name of many is looked for in most of the table: several processes of the database share that.
function readName(db: Kysely<Tables>, name: string): Promise<ReadSet> {
  return db.transaction().execute(async (tx) => {
    await sql`
      select
          set_config('parallel_setup_cost', '0', true),
          set_config('parallel_tuple_cost', '0', true)
    `.execute(tx);
    return readNumbers(
      tx,
      sql`registry.search as search where ${hasName(name)} limit ${sql.lit(mostNamed + 1)}`,
    );
  });
}

/** @param name of a set: its kind, a space, and what it is */
async function readList(db: Kysely<Tables>, name: string): Promise<KnownSets> {
  const kind = name.split(' ', 1)[0] as ListKind;
  const value = name.slice(kind.length + 1);
  const read: Record<ListKind, () => Promise<ReadSet>> = {
    code: () => readPlaces(db, sql`known.code = ${value}`),
    beginning: () => readPlaces(db, sql`known.code >= ${value} and known.code < ${`${value}~`}`),
    city: () => readNumbers(db, sql`registry.search as search where search.city = ${value}`),
    name: () => readName(db, value),
  };
  const { run_id, set, length } = await read[kind]();
  return { run_id, sets: new Map([[name, kind === 'name' && length > mostNamed ? 'many' : set]]) };
}

/**
 * Finds the companies that have a name among those that have all else.
 *
 * @param numbers ascending, and not many
 */
export async function readNamed(
  db: Kysely<Tables>,
  name: string,
  numbers: number[],
): Promise<ReadSet> {
  // The offset keeps the planner from looking for the name in the whole country.
  const looked = sql`(
      select * from registry.search where search_no = any(${`{${numbers.join(',')}}`}::integer[])
      offset 0
  ) as search`;
  return readNumbers(db, sql`${looked} where ${hasName(name)}`);
}

/**
 * Makes what gives sets by their names: from the memory, or read, and then remembered. Whoever asks for
 * one that is being read waits for it.
 */
export function createSetReader(db: Kysely<Tables>, memory: SearchMemory) {
  const underWay = new Map<string, Promise<KnownSets>>();

  function begin(names: string[], reading: Promise<KnownSets>): Promise<KnownSets> {
    for (const name of names) underWay.set(name, reading);
    return reading.finally(() => names.forEach((name) => underWay.delete(name)));
  }

  const isNew = (name: string) => !underWay.has(name);

  function readMissing(terms: string[], lists: string[]): Promise<KnownSets[]> {
    const newTerms = terms.filter(isNew);
    const shared = [...terms, ...lists].flatMap((name) => underWay.get(name) ?? []);
    const begun = lists.filter(isNew).map((name) => begin([name], readList(db, name)));
    if (newTerms.length > 0) begun.push(begin(newTerms, readTerms(db, newTerms)));
    return Promise.all([...new Set(shared), ...begun]);
  }

  return async ({ terms, lists }: { terms: string[]; lists: string[] }): Promise<KnownSets> => {
    const names = [...terms, ...lists];
    for (;;) {
      const kept_run_id = memory.run_id();
      const found = names.map((name) => [name, memory.sets.find(name)] as const);
      const sets = new Map(found.filter((one): one is [string, SearchSet] => one[1] !== undefined));
      const isMissing = (name: string) => !sets.has(name);
      const read = await readMissing(terms.filter(isMissing), lists.filter(isMissing));
      const run_ids = new Set(read.map(({ run_id }) => run_id));
      if (sets.size > 0) run_ids.add(kept_run_id ?? null);
      for (const one of read) {
        for (const [name, set] of one.sets) {
          memory.sets.keep(one.run_id, name, set);
          sets.set(name, set);
        }
      }
      // A night that is published in between must not part one set from another.
      if (run_ids.size === 1) return { run_id: [...run_ids][0]!, sets };
    }
  };
}
