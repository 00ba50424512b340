import type { Pool, PoolClient } from 'pg';
import { runFile } from '../../sql/database.ts';
import { openSessions, runSteps, type Sessions, settle } from './session.ts';
import { writeSearchBits } from './search-bits.ts';

/** Sessions that load and index side by side; with that of the night, all of a pool. */
const SESSION_COUNTS = { ofEntries: 3, ofSearch: 3, ofBits: 3 };

/** Loads what is to become the first snapshot of a source, beside what readers see. */
export class FirstSnapshot {
  readonly #ofEntries: Sessions;
  readonly #ofSearch: Sessions;
  readonly #ofBits: Sessions;
  readonly #isVeryFirst: boolean;
  #entries: Promise<unknown> = Promise.resolve();
  #keys: Promise<unknown> = Promise.resolve();
  #search: Promise<unknown> = Promise.resolve();
  #searchIndexes: Promise<unknown> = Promise.resolve();

  /** @param isVeryFirst whether no company is known yet: the tables of the search are made beside too */
  constructor(pool: Pool, isVeryFirst: boolean) {
    this.#ofEntries = openSessions(pool, SESSION_COUNTS.ofEntries);
    this.#ofSearch = openSessions(pool, SESSION_COUNTS.ofSearch);
    this.#ofBits = openSessions(pool, SESSION_COUNTS.ofBits);
    this.#isVeryFirst = isVeryFirst;
  }

  /**
   * Loads the entries, their keys, and what the search shows of them, while they are still compared with
   * each other: what that finds is corrected by `complete`.
   */
  async loadEntries(): Promise<void> {
    if (this.#isVeryFirst) {
      this.#search = fill(this.#ofSearch, 'search');
      this.#searchIndexes = this.#search.then(() => index(this.#ofSearch, 'search_index', []));
    }
    this.#entries = fill(this.#ofEntries, 'entry').then(() => this.#indexPartition('entry'));
    this.#keys = fill(this.#ofEntries, 'entry_key');
    await settle([this.#entries, this.#keys, this.#searchIndexes]);
  }

  /** The comparison is done: corrects what does not agree with it, and loads what depends on it. */
  async complete(): Promise<void> {
    await this.#ofBits((client) => runSteps(client, ['baseline/correction']));
    await settle([
      this.#isVeryFirst ? this.#writeBits() : Promise.resolve(),
      this.#correctKeys(),
      this.#ofEntries((client) => runSteps(client, ['4b_new_sum'])),
      this.#correctEntries(),
      this.#isVeryFirst ? this.#correctSearch() : Promise.resolve(),
    ]);
  }

  /** Makes visible what was loaded in the transaction of `client`. */
  async attach(client: PoolClient): Promise<void> {
    const steps = this.#isVeryFirst
      ? ['baseline/attach', 'baseline/attach_search', 'baseline/analyze']
      : ['baseline/attach', 'baseline/analyze', '4b_new_search'];
    await runSteps(client, steps);
  }

  async #correctKeys(): Promise<void> {
    await this.#keys;
    await this.#ofEntries((client) => runSteps(client, ['baseline/correct_key']));
    await settle([
      this.#indexPartition('entry_key'),
      // Every night reads all of them, and the first look at a row that was loaded in bulk has to
      // mark it as committed.
      this.#ofEntries((client) => client.query('vacuum (analyze) stage.first_entry_key')),
    ]);
  }

  async #correctEntries(): Promise<void> {
    await this.#entries;
    await this.#ofEntries((client) => runSteps(client, ['baseline/correct']));
  }

  async #correctSearch(): Promise<void> {
    await this.#searchIndexes;
    await this.#ofSearch(async (client) => {
      await runSteps(client, ['baseline/correct_search']);
      // Searches count by the index alone where every row of a page is known to be visible. The few
      // rows that are dead already are not worth a walk through every index.
      await client.query('vacuum (analyze, index_cleanup off) stage.first_search');
    });
  }

  async #indexPartition(table: string): Promise<void> {
    await index(this.#ofEntries, 'index_definition', [`registry.${table}`]);
  }

  async #writeBits(): Promise<void> {
    await this.#search;
    const open = this.#ofBits;
    await open((reader) =>
      open((bits) => open((places) => writeSearchBits({ reader, bits, places }))),
    );
  }
}

/** Makes and fills `stage.first_<table>`. */
async function fill(sessions: Sessions, table: string): Promise<void> {
  await sessions((client) => runSteps(client, [`baseline/load_${table}`]));
}

/** Makes the indexes that a file defines for a table that was filled, each in a session of its own. */
async function index(sessions: Sessions, file: string, values: string[]): Promise<void> {
  const [result] = await sessions((client) =>
    runFile(client, `nightly/baseline/${file}.sql`, values),
  );
  const rows = result!.rows as { definition: string }[];
  await settle(rows.map(({ definition }) => sessions((client) => client.query(definition))));
}

/** Whether no company is known yet. */
export async function isRegistryEmpty(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ is_empty: boolean }>(
    'select not exists (select from registry.search) as is_empty',
  );
  return rows[0]!.is_empty;
}

/**
 * After a first snapshot is published. What was loaded beside other statements was not visible to all
 * of them, nor were the keys part of the statistics of all. The few rows of the search that are dead
 * already are not worth a walk through every index.
 */
export async function tidy(pool: Pool): Promise<void> {
  await settle([
    pool.query('vacuum (index_cleanup off) registry.search'),
    pool.query('analyze registry.entry_key'),
    // All entries were staged: that is as large as they are.
    pool.query('drop schema stage cascade; create schema stage'),
  ]);
}
