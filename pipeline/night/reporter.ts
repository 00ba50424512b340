/** Takes what a night reports while it runs. */
export interface NightReporter {
  /** Takes the number of the run. A night with nothing to do deletes its run later. */
  run?(run_id: number): void;
  step?(name: string): void;
  /** Takes how many records, and how many of all bytes, are read so far. */
  progress?(records: number, bytes: number, byteCount: number): void;
  note(sentence: string): void;
}

/** Measures how long each step takes. */
export class StepClock {
  name = '';
  #started_ms = 0;
  /** Seconds of the steps that have ended. */
  total = 0;

  /** Seconds since the current step began. */
  get seconds(): number {
    return (performance.now() - this.#started_ms) / 1000;
  }

  /** @returns the step that ended, and how long it took */
  next(name: string): { name: string; seconds: number } | undefined {
    const seconds = Math.round(this.seconds * 1000) / 1000;
    const ended = this.name === '' ? undefined : { name: this.name, seconds };
    if (ended) this.total += seconds;
    this.name = name;
    this.#started_ms = performance.now();
    return ended;
  }
}

/** Forwards what a night reports, and adds the duration of each finished step to `seconds`. */
export function timeSteps(
  reporter: NightReporter,
  seconds: Record<string, number>,
): Required<NightReporter> {
  const clock = new StepClock();
  return {
    run: (run_id) => reporter.run?.(run_id),
    step(name) {
      const ended = clock.next(name);
      if (ended) seconds[ended.name] = (seconds[ended.name] ?? 0) + ended.seconds;
      if (name !== '') reporter.step?.(name);
    },
    progress: (...figures) => reporter.progress?.(...figures),
    note: (sentence) => reporter.note(sentence),
  };
}
