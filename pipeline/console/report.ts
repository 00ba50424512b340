import { SingleBar } from 'cli-progress';
import type { Logger } from 'pino';
import type { NightReporter } from '../night/nightly.ts';
import type { RunSummary } from '../night/summary.ts';

/** A reporter that has to be told when the night is over; from then on it is silent. */
export interface ClosingReporter extends NightReporter {
  close(): void;
}

/** Bars on a terminal, one log line a step elsewhere; both on stderr. */
export function createReporter(
  night: { source: string; dump_date: string },
  logger: Logger,
  stream: NodeJS.WriteStream = process.stderr,
): ClosingReporter {
  return stream.isTTY ? new TerminalReporter(night, stream) : new LogReporter(night, logger);
}

class LogReporter implements ClosingReporter {
  readonly #logger: Logger;
  readonly #clock = new StepClock();
  #records = 0;
  #isClosed = false;

  constructor(night: { source: string; dump_date: string }, logger: Logger) {
    this.#logger = logger.child(night);
  }

  step(name: string): void {
    const done = this.#clock.next(name);
    if (!done || this.#isClosed) return;
    const records = done.name.startsWith('read and') ? { records: this.#records } : {};
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
  readonly #clock = new StepClock();
  #bar: SingleBar | undefined;
  #records = 0;
  #isClosed = false;

  constructor(night: { source: string; dump_date: string }, stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#write(`${night.source} ${night.dump_date}`);
  }

  step(name: string): void {
    const done = this.#clock.next(name);
    if (!done) return;
    const records = done.name.startsWith('read and') ? `, ${number(this.#records)} records` : '';
    this.#write(`  ${done.name.padEnd(22)} ${done.seconds.toFixed(1)} s${records}`);
  }

  progress(records: number, files: number, fileCount: number): void {
    if (this.#isClosed) return;
    this.#records = records;
    const shown = { records: number(records) };
    this.#bar ??= this.#startBar(fileCount, shown);
    this.#bar.update(files, shown);
  }

  note(sentence: string): void {
    this.#write(`  ${sentence}`);
  }

  close(): void {
    this.step('');
    this.#stopBar();
    this.#isClosed = true;
  }

  #write(line: string): void {
    if (this.#isClosed) return;
    this.#stopBar();
    this.#stream.write(`${line}\n`);
  }

  #startBar(fileCount: number, shown: object): SingleBar {
    const bar = new SingleBar({
      stream: this.#stream,
      format: '  {bar} {value}/{total} files, {records} records',
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 30,
      clearOnComplete: true,
      hideCursor: true,
      fps: 10,
    });
    bar.start(fileCount, 0, shown);
    return bar;
  }

  /** Clears its line and shows the cursor again. */
  #stopBar(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}

/** Knows which step is under way and since when. */
class StepClock {
  #name = '';
  #started_ms = 0;

  /** @returns the step that ended, and how long it took */
  next(name: string): { name: string; seconds: number } | undefined {
    const now_ms = performance.now();
    const done =
      this.#name === ''
        ? undefined
        : { name: this.#name, seconds: Math.round(now_ms - this.#started_ms) / 1000 };
    this.#name = name;
    this.#started_ms = now_ms;
    return done;
  }
}

function number(count: number): string {
  return count.toLocaleString('en');
}

/** What a run did, in a few lines for people. */
export function describeRun(run: RunSummary): string {
  const verb = run.is_dry_run ? 'would be published (dry run)' : run.state;
  const lines = [
    `${run.source} ${run.dump_date}: ${verb}${run.is_baseline ? ', the baseline' : ''}, run ${run.run_id}`,
    `  read ${number(run.read)}, accepted ${number(run.accepted)}, rejected ${number(run.rejected)}`,
    `  new ${number(run.new)}, updated ${number(run.updated)}, deleted ${number(run.deleted)}, entries ${number(run.entries)}, events ${number(run.events)}`,
    ...Object.entries(run.event_types).map(
      ([type, count]) => `    ${number(count).padStart(9)} ${type}`,
    ),
  ];
  if (run.waiting > 0) {
    lines.push(`  ${number(run.waiting)} vanished from files with unreadable rows and wait`);
  }
  if (run.rejected > 0 && !run.is_dry_run)
    lines.push(`  see the rejected rows with: registry rejects ${run.run_id}`);
  for (const notice of run.notices) lines.push(`  not known: ${notice.subject} '${notice.value}'`);
  return lines.join('\n');
}
