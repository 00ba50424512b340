import type { PoolClient } from 'pg';
import { runFile } from '../sql/database.ts';
import { type Sessions, settle } from './night-session.ts';
import { writeSearchBits } from './search-bits.ts';

/** Loads what is to become the first snapshot of a source, beside what readers see. */
export class FirstSnapshot {
  readonly #sessions: Sessions;
  readonly #isVeryFirst: boolean;
  #entries: Promise<unknown> = Promise.resolve();

  /** @param isVeryFirst whether no company is known yet: the table of the search is made beside too */
  constructor(sessions: Sessions, isVeryFirst: boolean) {
    this.#sessions = sessions;
    this.#isVeryFirst = isVeryFirst;
  }

  /**
   * Loads the entries, and what the search shows of them, while they are still compared with each
   * other: what that finds is corrected by `attach`.
   */
  async loadEntries(): Promise<void> {
    this.#entries = settle([
      this.#load('entry'),
      this.#isVeryFirst ? this.#loadSearch() : Promise.resolve(),
    ]);
    await this.#entries;
  }

  /** Loads the keys of the entries that are left, and sums them up. */
  async loadKeys(): Promise<void> {
    await settle([
      // Every night reads all of them, and the first look at a row that was loaded in bulk has to
      // mark it as committed.
      this.#load('entry_key', ['vacuum (analyze) stage.first_entry_key']),
      this.#sessions((client) => runFile(client, 'nightly/4b_new_sum.sql')),
    ]);
  }

  /** Makes visible what was loaded, once it is, in the transaction of `client`. */
  async attach(client: PoolClient): Promise<void> {
    await this.#entries;
    await runFile(client, 'nightly/baseline/correct.sql');
    await runFile(client, 'nightly/baseline/attach.sql');
    await runFile(client, 'nightly/baseline/analyze.sql');
    if (this.#isVeryFirst) {
      await runFile(client, 'nightly/baseline/attach_search.sql');
      await runFile(client, 'nightly/baseline/correct_search.sql');
    } else {
      await runFile(client, 'nightly/4b_new_search.sql');
    }
  }

  /** Fills `stage.first_<table>` in one session, then makes its indexes in one each. */
  async #load(table: string, more: readonly string[] = []): Promise<void> {
    await this.#sessions((client) => runFile(client, `nightly/baseline/load_${table}.sql`));
    const indexes = await this.#define('index_definition', [`registry.${table}`]);
    await this.#runAll([...indexes, ...more]);
  }

  async #loadSearch(): Promise<void> {
    await this.#sessions((client) => runFile(client, 'nightly/baseline/load_search.sql'));
    const indexes = await this.#define('search_index', []);
    const open = this.#sessions;
    const writeBits = open((reader) =>
      open((bits) => open((places) => writeSearchBits({ reader, bits, places }))),
    );
    await settle([writeBits, this.#runAll(indexes)]);
  }

  /** @returns the statements that make the indexes of a table that was loaded */
  async #define(file: string, values: string[]): Promise<string[]> {
    const [result] = await this.#sessions((client) =>
      runFile(client, `nightly/baseline/${file}.sql`, values),
    );
    return (result!.rows as { definition: string }[]).map(({ definition }) => definition);
  }

  async #runAll(statements: readonly string[]): Promise<void> {
    await settle(
      statements.map((statement) => this.#sessions((client) => client.query(statement))),
    );
  }
}

/** Whether no company is known yet. */
export async function isRegistryEmpty(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ is_empty: boolean }>(
    'select not exists (select from registry.search) as is_empty',
  );
  return rows[0]!.is_empty;
}
