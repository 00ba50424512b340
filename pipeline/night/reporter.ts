/** Takes what a night reports while it runs, and measures its steps. This one shows nothing. */
export class NightReporter {
  /** Of the steps that have ended. */
  readonly step_seconds: Record<string, number> = {};
  /** The step under way; empty: none. */
  protected step_name = '';
  #started_ms = 0;

  /** Seconds since the current step began. */
  protected get seconds(): number {
    return (performance.now() - this.#started_ms) / 1000;
  }

  /** Takes the number of the run. A night with nothing to do deletes its run later. */
  run(_run_id: number): void {}

  /** Ends the step under way, and begins one where there is a name. */
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

  /** Takes how many records, and how many of all bytes, are read so far. */
  progress(_records: number, _bytes: number, _byteCount: number): void {}

  note(_sentence: string): void {}
}
