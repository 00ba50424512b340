/** Measures the steps of a night while it runs. This base class shows nothing. */
export class NightReporter {
  /** The seconds of each step that has ended. */
  readonly step_seconds: Record<string, number> = {};
  /** The name of the step under way; empty when there is none. */
  protected step_name = '';
  #started_ms = 0;

  /** Returns the seconds since the current step began. */
  protected get seconds(): number {
    return (performance.now() - this.#started_ms) / 1000;
  }

  /** Receives the number of the run. A night with nothing to publish deletes this run from `registry.run` later. */
  run(_run_id: number): void {}

  /** Ends the step under way and begins the named one; an empty name begins none. */
  step(name: string): void {
    const ended = this.step_name;
    const seconds = Math.round(this.seconds * 1000) / 1000;
    this.step_name = name;
    this.#started_ms = performance.now();
    if (ended === '') return;
    this.step_seconds[ended] = (this.step_seconds[ended] ?? 0) + seconds;
    this.stepEnded(ended, seconds);
  }

  protected stepEnded(_name: string, _seconds: number): void {}

  /** Receives the numbers of records and bytes read so far, and the number of all bytes. */
  progress(_records: number, _bytes: number, _byteCount: number): void {}

  note(_sentence: string): void {}
}
