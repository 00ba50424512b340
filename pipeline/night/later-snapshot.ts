import type { Pool, PoolClient } from 'pg';
import { runBeside, runSteps, settle } from './session.ts';

/** The steps that tell events, side by side. */
export const eventSteps = [['3a_events'], ['3b_activities'], ['3c_persons', '3d_units']] as const;

/**
 * What a snapshot that is not the first one changes, worked out by sessions of their own, which see
 * yesterday's entries whatever the night writes meanwhile.
 */
export class LaterSnapshot {
  readonly #pool: Pool;
  readonly #told: Promise<unknown>;
  readonly #touched: Promise<unknown>;
  readonly #shown: Promise<unknown>;
  readonly #counted: Promise<unknown>;

  /** Begins, once the entries are compared. */
  constructor(pool: Pool) {
    this.#pool = pool;
    this.#told = runBeside(pool, ...eventSteps);
    this.#touched = runBeside(pool, ['4b_touched']);
    this.#shown = this.#touched.then(() => runBeside(pool, ['4b_alone']));
    this.#counted = this.#shown.then(() =>
      runBeside(pool, ['4b_alone_bits'], ['4b_alone_activities'], ['4b_alone_places']),
    );
  }

  /** Waits until all is worked out. */
  async end(): Promise<void> {
    await settle([this.#told, this.#touched, this.#shown, this.#counted]);
  }

  /**
   * Writes what is worked out, in the transaction of `client`.
   *
   * @param onTold called when the events are known
   */
  async write(client: PoolClient, onTold: () => void): Promise<void> {
    await runSteps(client, ['4b_new_sum', '4b_new_companies', '4c_entries']);
    await settle([this.#touched, this.#told]);
    onTold();
    await runSteps(client, ['4c_due', '4d_events']);
    await this.#shown;
    await runSteps(client, ['4e_alone']);
    const names = runBeside(this.#pool, ['4e_search_names']);
    const bits = this.#counted.then(() => runSteps(client, ['4e_alone_bits']));
    await settle([bits, names]);
  }
}
