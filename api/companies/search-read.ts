import { sql, type Kysely, type RawBuilder } from 'kysely';
import { prepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { joinPlaces, readBits, readNumbers, setOfNumbers, type Bits } from './search-bits.ts';
import type { SearchMemory, SearchSet } from './search-memory.ts';
import { newestRun } from './search-run.ts';
import type { ListKind, SearchSets } from './search-sets.ts';

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

/** What was read in the snapshot that a run published. */
interface ReadSet {
  run_id: string | null;
  set: Bits | Int32Array;
}

/** Statements that read the companies of an activity at once. */
const readersOfPlaces = 3;

/** The companies of activities, each statement a part of them; `condition` is on `known`. */
async function readPlaces(db: Kysely<Tables>, condition: RawBuilder<unknown>): Promise<ReadSet> {
  const parts = await Promise.all(
    Array.from({ length: readersOfPlaces }, async (_, part) => {
      const { rows } = await sql<Row & { block: number | null; places: string }>`${prepared}
        select newest.run_id, known.block, known.places::text
        from ${newest}
        left join registry.search_places as known
            on ${condition} and known.block % ${readersOfPlaces} = ${part}::integer
      `.execute(db);
      return rows;
    }),
  );
  const [run_id, ...others] = new Set(parts.map((rows) => rows[0]!.run_id));
  // A night was published in between.
  if (others.length > 0) return readPlaces(db, condition);
  const rows = parts.flat().filter(({ block }) => block !== null);
  return { run_id: run_id ?? null, set: joinPlaces(rows as { block: number; places: string }[]) };
}

/** The numbers of companies in a statement: each in 4 bytes, without a text to write and read. */
function numbersIn(table: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select newest.run_id, (select string_agg(int4send(search.search_no), '') from ${table}) as numbers
    from ${newest}
  `;
}

async function readSet(db: Kysely<Tables>, statement: RawBuilder<unknown>): Promise<ReadSet> {
  const { rows } = await sql<Row & { numbers: Buffer | null }>`${statement}`.execute(db);
  const { run_id, numbers } = rows[0]!;
  return { run_id, set: numbers ? setOfNumbers(readNumbers(numbers)) : new Int32Array() };
}

/** What is like a name, or a part of it. */
export function patternOf(name: string): string {
  return `%${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

const hasName = (name: string) => sql`search.name like ${patternOf(name)}`;

/** @param name of a set: its kind, a space, and what it is */
async function readList(db: Kysely<Tables>, name: string): Promise<KnownSets> {
  const kind = name.split(' ', 1)[0] as ListKind;
  const value = name.slice(kind.length + 1);
  const read: Record<ListKind, () => Promise<ReadSet>> = {
    code: () => readPlaces(db, sql`known.code = ${value}`),
    beginning: () => readPlaces(db, sql`known.code >= ${value} and known.code < ${`${value}~`}`),
    city: () => readMatching(db, sql`search.city = ${value}`),
    // Each name is planned for: most of the table has to be looked at for that of many.
    name: () => readSet(db, numbersIn(sql`registry.search as search where ${hasName(value)}`)),
  };
  const { run_id, set } = await read[kind]();
  return { run_id, sets: new Map([[name, set]]) };
}

/**
 * Finds the companies that have a name among those that have all else.
 *
 * @param numbers ascending, and not many
 */
export function readNamed(db: Kysely<Tables>, name: string, numbers: number[]): Promise<ReadSet> {
  // The offset keeps the planner from looking for the name in the whole country.
  const looked = sql`(
      select *
      from registry.search
      where search_no = any((select ${`{${numbers.join(',')}}`}::integer[])::integer[])
      offset 0
  ) as search`;
  return readSet(db, sql`${prepared} ${numbersIn(sql`${looked} where ${hasName(name)}`)}`);
}

/**
 * Finds the companies that meet a condition on `search`.
 *
 * @param condition with the same text for all that is asked for, which is planned for but once
 */
export function readMatching(db: Kysely<Tables>, condition: RawBuilder<boolean>): Promise<ReadSet> {
  const table = sql`registry.search as search where ${condition}`;
  return readSet(db, sql`${prepared} ${numbersIn(table)}`);
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
