import type pg from 'pg';
import type { NightReporter } from './night.ts';

/** Passes on what a night reports, and times its steps. */
export class TimedReporter implements NightReporter {
  readonly #reporter: NightReporter;
  readonly #seconds = new Map<string, number>();
  #run_id: number | undefined;
  #step: string | undefined;
  #started_ms = 0;

  constructor(reporter: NightReporter) {
    this.#reporter = reporter;
  }

  run(run_id: number): void {
    this.#run_id = run_id;
    this.#reporter.run?.(run_id);
  }

  step(name: string): void {
    this.#next(name);
    this.#reporter.step(name);
  }

  progress(...figures: Parameters<NightReporter['progress']>): void {
    this.#reporter.progress(...figures);
  }

  note(sentence: string): void {
    this.#reporter.note(sentence);
  }

  /** Keeps the seconds of each step with the run, where its row and the server are still there. */
  async save(client: pg.ClientBase): Promise<void> {
    this.#next(undefined);
    if (this.#run_id === undefined) return;
    await client
      .query('update registry.run set step_seconds = $2 where run_id = $1', [
        this.#run_id,
        JSON.stringify(Object.fromEntries(this.#seconds)),
      ])
      .catch(() => undefined);
  }

  #next(name: string | undefined): void {
    const now_ms = performance.now();
    if (this.#step !== undefined) {
      const before = this.#seconds.get(this.#step) ?? 0;
      this.#seconds.set(this.#step, before + Math.round(now_ms - this.#started_ms) / 1000);
    }
    this.#step = name;
    this.#started_ms = now_ms;
  }
}
