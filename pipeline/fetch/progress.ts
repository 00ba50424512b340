import { SingleBar } from 'cli-progress';
import type { Logger } from 'pino';

/** Told of what a fetch does. */
export interface Progress {
  /** A step begins, and with it the one before has ended. */
  step(name: string): void;
  /** How many of the things of this step are done. */
  count(done: number, total: number): void;
  note(sentence: string): void;
  /** Nothing is told after it. A step that has failed did not end. */
  close(hasFailed?: boolean): void;
}

export const silence: Progress = {
  step: () => undefined,
  count: () => undefined,
  note: () => undefined,
  close: () => undefined,
};

/** A bar on a terminal, one log line a step elsewhere; both on stderr. */
export function createProgress(
  dump: { source: string; dump_date: string },
  logger: Logger,
  stream: NodeJS.WriteStream = process.stderr,
): Progress {
  const steps = new Steps();
  return stream.isTTY ? onTerminal(dump, steps, stream) : inLog(dump, steps, logger);
}

function inLog(dump: { source: string; dump_date: string }, steps: Steps, logger: Logger) {
  const log = logger.child(dump);
  const end = (name: string) => {
    const ended = steps.next(name);
    if (ended) log.info(ended, ended.step);
  };
  return {
    step: end,
    count: (done: number) => void (steps.done = done),
    note: (sentence: string) => log.warn(sentence),
    close: (hasFailed = false) => void (hasFailed || end('')),
  };
}

function onTerminal(
  dump: { source: string; dump_date: string },
  steps: Steps,
  stream: NodeJS.WriteStream,
): Progress {
  let bar: SingleBar | undefined;
  const write = (line: string) => {
    // Clears its line and shows the cursor again.
    bar?.stop();
    bar = undefined;
    stream.write(`${line}\n`);
  };
  const end = (name: string) => {
    const ended = steps.next(name);
    if (!ended) return;
    const done = ended.done === undefined ? '' : `, ${ended.done.toLocaleString('en')}`;
    write(`  ${ended.step.padEnd(22)} ${ended.seconds.toFixed(1)} s${done}`);
  };
  write(`${dump.source} ${dump.dump_date}`);
  return {
    step: end,
    count: (done, total) => {
      steps.done = done;
      bar ??= startBar(stream, total);
      bar.update(done);
    },
    note: (sentence) => write(`  ${sentence}`),
    close: (hasFailed = false) => {
      if (!hasFailed) end('');
      bar?.stop();
      bar = undefined;
    },
  };
}

function startBar(stream: NodeJS.WriteStream, total: number): SingleBar {
  const bar = new SingleBar({
    stream,
    format: '  {bar} {value}/{total}, {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    clearOnComplete: true,
    hideCursor: true,
    fps: 10,
  });
  bar.start(total, 0);
  return bar;
}

/** Knows which step is under way, since when, and how far it is. */
class Steps {
  #name = '';
  #started_ms = 0;
  done: number | undefined;

  next(name: string): { step: string; seconds: number; done?: number } | undefined {
    const now_ms = performance.now();
    const ended = {
      step: this.#name,
      seconds: Math.round(now_ms - this.#started_ms) / 1000,
      ...(this.done === undefined ? {} : { done: this.done }),
    };
    this.#name = name;
    this.#started_ms = now_ms;
    this.done = undefined;
    return ended.step === '' ? undefined : ended;
  }
}
