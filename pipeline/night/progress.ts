import cliProgress, { SingleBar } from 'cli-progress';
import type { Logger } from 'pino';
import { figure } from '../written-figure.ts';
import { NightReporter } from './reporter.ts';

/** Reports the steps of a night or a fetch on stderr: to people on a terminal, else to the log. */
export class Reporter extends NightReporter {
  /** The number of the run; absent before the run has one, and for a fetch. */
  run_id: number | undefined;
  readonly #stream = process.stderr;
  readonly #isBrief: boolean;
  readonly #title: string;
  #logger: Logger;
  #bar: SingleBar | undefined;
  #isCounting = false;
  #counted: { records?: number; done?: number } = {};
  #isClosed = false;

  /**
   * Starts the report of a dump. @param isBrief whether a terminal shows only the step under way, and is cleared after
   */
  constructor(dump: { source: string; dump_date: string }, logger: Logger, isBrief = false) {
    super();
    this.#logger = logger.child(dump);
    this.#isBrief = isBrief;
    this.#title = `${dump.source} ${dump.dump_date}`;
    if (this.#stream.isTTY && !isBrief) this.#write(this.#title);
  }

  override run(run_id: number): void {
    this.run_id = run_id;
    this.#logger = this.#logger.child({ run_id });
  }

  override step(name: string): void {
    if (this.#isClosed) return;
    super.step(name);
    if (name !== '') this.#showBar('{seconds}', 1);
  }

  override progress(records: number, bytes: number, byteCount: number): void {
    this.#counted = { records };
    const rate = bytes / 1e6 / Math.max(this.seconds, 0.1);
    const shape = '{seconds}  {bar} {percentage} %, {rate} MB/s, {eta} s left';
    this.#advance(bytes, byteCount, shape, { rate: rate.toFixed(1) });
  }

  /** Receives two counts for the current step of a fetch: the finished parts and all parts. */
  count(done: number, total: number): void {
    this.#counted = { done };
    this.#advance(done, total, '{seconds}  {bar} {value}/{total}, {eta} s left');
  }

  override note(sentence: string): void {
    if (this.#isClosed) return;
    if (this.#stream.isTTY) this.#write(`  ${sentence}`);
    else this.#logger.warn(sentence);
    this.#showBar('{seconds}', 1);
  }

  /** Ends the report. Reports the last step unless it has failed. */
  close({ hasFailed = false } = {}): void {
    if (this.#isClosed) return;
    if (!hasFailed) this.step('');
    const total = Object.values(this.step_seconds).reduce((sum, seconds) => sum + seconds, 0);
    if (this.run_id !== undefined && this.#stream.isTTY && !this.#isBrief && total > 0) {
      this.#writeStep('total', total);
    }
    this.#stopBar();
    this.#isClosed = true;
  }

  protected override stepEnded(name: string, seconds: number): void {
    const counted = this.#counted;
    this.#counted = {};
    if (!this.#stream.isTTY) this.#logger.info({ step: name, seconds, ...counted }, name);
    if (!this.#stream.isTTY || this.#isBrief) return;
    const { records, done } = counted;
    const count = records ?? done;
    const unit = records === undefined ? '' : ' records';
    this.#writeStep(name, seconds, count === undefined ? '' : `, ${figure(count)}${unit}`);
  }

  #writeStep(name: string, seconds: number, more = ''): void {
    this.#write(`  ${name.padEnd(22)} ${seconds.toFixed(1)} s${more}`);
  }

  #write(line: string): void {
    this.#stopBar();
    this.#stream.write(`${line}\n`);
  }

  #advance(value: number, total: number, shape: string, payload: object = {}): void {
    if (this.#isClosed || !this.#stream.isTTY) return;
    if (!this.#isCounting) this.#showBar(shape, total);
    this.#isCounting = true;
    this.#bar!.update(value, payload);
  }

  #showBar(shape: string, total: number): void {
    if (!this.#stream.isTTY) return;
    this.#stopBar();
    const title = this.#isBrief ? `${this.#title}  ` : '';
    const format = `  ${title}${this.step_name.padEnd(22)} ${shape}`;
    this.#bar = new SingleBar({
      stream: this.#stream,
      format: (options, params, payload: object) => {
        const seconds = `${this.seconds.toFixed(0).padStart(3)} s`;
        // The time left is not finite before the first progress.
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

  /** Clears the line of the bar and shows the cursor again. */
  #stopBar(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#isCounting = false;
  }
}
