import { SingleBar } from 'cli-progress';
import type { Logger } from 'pino';
import type { NightReporter } from '../night/night.ts';

/** A reporter that has to be told when the night is over; from then on it is silent. */
export interface ClosingReporter extends NightReporter {
  run(run_id: number): void;
  /** Absent until the run has its number. */
  readonly run_id: number | undefined;
  close(): void;
}

/** What `createReporter` can be told. */
export interface ReporterOptions {
  /** Only what is under way is shown, and nothing of it stays. */
  isBrief?: boolean | undefined;
  stream?: NodeJS.WriteStream | undefined;
}

/** Reports a night on stderr: the step under way on a terminal, elsewhere a line of the log a step. */
export function createReporter(
  night: { source: string; dump_date: string },
  logger: Logger,
  { isBrief = false, stream = process.stderr }: ReporterOptions = {},
): ClosingReporter {
  return stream.isTTY
    ? new TerminalReporter(night, stream, isBrief)
    : new LogReporter(night, logger);
}

class LogReporter implements ClosingReporter {
  #logger: Logger;
  readonly #clock = new StepClock();
  #records = 0;
  #isClosed = false;
  run_id: number | undefined;

  constructor(night: { source: string; dump_date: string }, logger: Logger) {
    this.#logger = logger.child(night);
  }

  run(run_id: number): void {
    this.run_id = run_id;
    this.#logger = this.#logger.child({ run_id });
  }

  step(name: string): void {
    const done = this.#clock.next(name);
    if (!done || this.#isClosed) return;
    const records = isReading(done.name) ? { records: this.#records } : {};
    this.#logger.info({ step: done.name, seconds: done.seconds, ...records }, done.name);
  }

  progress(records: number): void {
    this.#records = records;
  }

  note(sentence: string): void {
    if (!this.#isClosed) this.#logger.warn(sentence);
  }

  close(): void {
    this.step('');
    this.#isClosed = true;
  }
}

class TerminalReporter implements ClosingReporter {
  readonly #stream: NodeJS.WriteStream;
  readonly #isBrief: boolean;
  readonly #title: string;
  readonly #clock = new StepClock();
  #bar: SingleBar | undefined;
  #hasBytes = false;
  #records = 0;
  #isClosed = false;
  run_id: number | undefined;

  constructor(
    { source, dump_date }: { source: string; dump_date: string },
    stream: NodeJS.WriteStream,
    isBrief: boolean,
  ) {
    this.#stream = stream;
    this.#isBrief = isBrief;
    this.#title = `${source} ${dump_date}`;
    if (!isBrief) this.#write(this.#title);
  }

  run(run_id: number): void {
    this.run_id = run_id;
  }

  step(name: string): void {
    if (this.#isClosed) return;
    this.#endStep(name);
    this.#showBar('{seconds}', 1);
  }

  progress(records: number, bytes: number, byteCount: number): void {
    if (this.#isClosed) return;
    this.#records = records;
    if (!this.#hasBytes) {
      const shape = '{seconds}  {bar} {percentage} %, {rate} MB/s, {eta_formatted} left';
      this.#showBar(shape, byteCount);
      this.#hasBytes = true;
    }
    const rate = bytes / 1e6 / Math.max(this.#clock.seconds, 0.1);
    this.#bar?.update(bytes, { rate: rate.toFixed(1) });
  }

  note(sentence: string): void {
    this.#write(`  ${sentence}`);
    this.#showBar('{seconds}', 1);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#endStep('');
    if (!this.#isBrief && this.#clock.total > 0) this.#line('total', this.#clock.total);
    this.#stopBar();
    this.#isClosed = true;
  }

  #endStep(name: string): void {
    const done = this.#clock.next(name);
    if (!done || this.#isBrief) return;
    const records = isReading(done.name) ? `, ${thousands(this.#records)} records` : '';
    this.#line(done.name, done.seconds, records);
  }

  #line(name: string, seconds: number, more = ''): void {
    this.#write(`  ${name.padEnd(22)} ${seconds.toFixed(1)} s${more}`);
  }

  #write(line: string): void {
    if (this.#isClosed) return;
    this.#stopBar();
    this.#stream.write(`${line}\n`);
  }

  /** One line, drawn again and again, of the step that is under way. */
  #showBar(shape: string, total: number): void {
    this.#stopBar();
    const clock = this.#clock;
    const title = this.#isBrief ? `${this.#title}  ` : '';
    const bar = new SingleBar({
      stream: this.#stream,
      format: (options, params, payload: { rate?: string }) => {
        const bars = Math.round(params.progress * options.barsize!);
        const texts: Record<string, string> = {
          seconds: `${clock.seconds.toFixed(0).padStart(3)} s`,
          bar: '█'.repeat(bars) + '░'.repeat(options.barsize! - bars),
          percentage: String(Math.floor(params.progress * 100)),
          rate: payload.rate ?? '0.0',
          eta_formatted: `${Number.isFinite(params.eta) ? params.eta : 0} s`,
        };
        const line = shape.replaceAll(/\{(\w+)\}/g, (_, key: string) => texts[key] ?? '');
        return `  ${title}${clock.name.padEnd(22)} ${line}`;
      },
      barsize: 24,
      clearOnComplete: true,
      hideCursor: true,
      fps: 5,
    });
    bar.start(total, 0, {});
    this.#bar = bar;
  }

  /** Clears its line and shows the cursor again. */
  #stopBar(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#hasBytes = false;
  }
}

/** Knows which step is under way and since when. */
class StepClock {
  name = '';
  #started_ms = 0;
  /** Seconds of the steps that have ended. */
  total = 0;

  /** Since the step that is under way has begun. */
  get seconds(): number {
    return (performance.now() - this.#started_ms) / 1000;
  }

  /** @returns the step that ended, and how long it took */
  next(name: string): { name: string; seconds: number } | undefined {
    const seconds = Math.round(this.seconds * 1000) / 1000;
    const done = this.name === '' ? undefined : { name: this.name, seconds };
    if (done) this.total += seconds;
    this.name = name;
    this.#started_ms = performance.now();
    return done;
  }
}

function isReading(step: string): boolean {
  return step.startsWith('read and');
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}
