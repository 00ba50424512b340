import cliProgress, { SingleBar } from 'cli-progress';
import type { Logger } from 'pino';
import { figure } from '../written-figure.ts';

/**
 * Reports the steps of a night or a fetch on stderr: as text on a terminal, else as log lines. Without a logger, the
 * reporter only measures the steps.
 */
export class Reporter {
  /** The duration of each finished step, in seconds, by the name of the step. */
  readonly step_seconds: Record<string, number> = {};
  /** The number of the run; absent for a fetch, and before the night has inserted its run. */
  run_id: number | undefined;
  readonly #isTerminal: boolean;
  readonly #isBrief: boolean;
  readonly #title: string;
  #logger: Logger | undefined;
  /** The name of the current step; empty between steps. */
  #step = '';
  #started_ms = 0;
  #bar: SingleBar | undefined;
  #isCounting = false;
  #counted: { records?: number; done?: number } = {};
  #isClosed = false;

  /** Starts the report of a dump. @param isBrief whether a terminal shows only the current step */
  constructor(dump = { source: '', dump_date: '' }, logger?: Logger, isBrief = false) {
    this.#logger = logger?.child(dump);
    this.#isTerminal = process.stderr.isTTY && logger !== undefined;
    this.#isBrief = isBrief;
    this.#title = `${dump.source} ${dump.dump_date}`;
    if (!isBrief) this.#write(this.#title);
  }

  /** Adds the number of the run to the log lines that follow. */
  run(run_id: number): void {
    this.run_id = run_id;
    this.#logger = this.#logger?.child({ run_id });
  }

  /** Ends the current step and begins the step `name`, or no step if `name` is empty. */
  step(name: string): void {
    if (this.#isClosed) return;
    if (this.#step !== '') this.#endStep();
    this.#step = name;
    this.#started_ms = performance.now();
    if (name !== '') this.#showBar('{seconds}', 1);
  }

  /** Shows progress: the numbers of records and bytes read so far, and the total number of bytes. */
  progress(records: number, bytes: number, byteCount: number): void {
    this.#counted = { records };
    const rate = bytes / 1e6 / Math.max(this.#seconds, 0.1);
    const shape = '{seconds}  {bar} {percentage} %, {rate} MB/s, {eta} s left';
    this.#advance(bytes, byteCount, shape, { rate: rate.toFixed(1) });
  }

  /** Shows the progress of a fetch: the numbers of finished parts and of all parts of the current step. */
  count(done: number, total: number): void {
    this.#counted = { done };
    this.#advance(done, total, '{seconds}  {bar} {value}/{total}, {eta} s left');
  }

  note(sentence: string): void {
    if (this.#isClosed) return;
    this.#write(`  ${sentence}`);
    if (!this.#isTerminal) this.#logger?.warn(sentence);
    this.#showBar('{seconds}', 1);
  }

  /** Ends the report. Reports the current step as finished unless `hasFailed` is true. */
  close({ hasFailed = false } = {}): void {
    if (this.#isClosed) return;
    if (!hasFailed) this.step('');
    const total = Object.values(this.step_seconds).reduce((sum, seconds) => sum + seconds, 0);
    if (this.run_id !== undefined && !this.#isBrief && total > 0) {
      this.#writeStep('total', total);
    }
    this.#stopBar();
    this.#isClosed = true;
  }

  /** Returns the seconds since the current step began. */
  get #seconds(): number {
    return (performance.now() - this.#started_ms) / 1000;
  }

  #endStep(): void {
    const name = this.#step;
    const seconds = Math.round(this.#seconds * 1000) / 1000;
    this.step_seconds[name] = (this.step_seconds[name] ?? 0) + seconds;
    const { records, done } = this.#counted;
    if (!this.#isTerminal) this.#logger?.info({ step: name, seconds, ...this.#counted }, name);
    this.#counted = {};
    if (this.#isBrief) return;
    const count = records ?? done;
    const unit = records === undefined ? '' : ' records';
    this.#writeStep(name, seconds, count === undefined ? '' : `, ${figure(count)}${unit}`);
  }

  #writeStep(name: string, seconds: number, more = ''): void {
    this.#write(`  ${name.padEnd(22)} ${seconds.toFixed(1)} s${more}`);
  }

  /** Writes a line to stderr if stderr is a terminal. */
  #write(line: string): void {
    if (!this.#isTerminal) return;
    this.#stopBar();
    process.stderr.write(`${line}\n`);
  }

  #advance(value: number, total: number, shape: string, payload: object = {}): void {
    if (this.#isClosed || !this.#isTerminal) return;
    if (!this.#isCounting) this.#showBar(shape, total);
    this.#isCounting = true;
    this.#bar!.update(value, payload);
  }

  #showBar(shape: string, total: number): void {
    if (!this.#isTerminal) return;
    this.#stopBar();
    const title = this.#isBrief ? `${this.#title}  ` : '';
    const format = `  ${title}${this.#step.padEnd(22)} ${shape}`;
    this.#bar = new SingleBar({
      stream: process.stderr,
      format: (options, params, payload: object) => {
        const seconds = `${this.#seconds.toFixed(0).padStart(3)} s`;
        // Before the first progress, the estimate of the remaining time is infinite.
        const known = { ...params, eta: Number.isFinite(params.eta) ? params.eta : 0 };
        return cliProgress.Format.Formatter({ ...options, format }, known, { ...payload, seconds });
      },
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 24,
      clearOnComplete: true,
      hideCursor: true,
      fps: 5,
    });
    this.#bar.start(total, 0, { rate: '0.0' });
  }

  /** Clears the line of the progress bar and shows the terminal's cursor again. */
  #stopBar(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#isCounting = false;
  }
}
