import { SingleBar } from 'cli-progress';
import type { Logger } from 'pino';

/** Told of what a fetch does. */
export interface Progress {
  /** A step begins, and the one before it ends. */
  step(name: string): void;
  /** How many of the things of this step are done. */
  count(done: number, total: number): void;
  note(sentence: string): void;
  /** Ends the last step, unless it has failed. */
  close(hasFailed?: boolean): void;
}

/** A bar on a terminal, one log line a step elsewhere; both on stderr. */
export function createProgress(
  dump: { source: string; dump_date: string },
  logger: Logger,
  stream: NodeJS.WriteStream = process.stderr,
): Progress {
  const log = logger.child(dump);
  let bar: SingleBar | undefined;
  let step: string | undefined;
  let started_ms = 0;
  let done: number | undefined;
  const stopBar = () => {
    // Clears the line and shows the cursor again.
    bar?.stop();
    bar = undefined;
  };
  const write = (line: string) => {
    stopBar();
    stream.write(`${line}\n`);
  };
  const end = () => {
    if (step === undefined) return;
    const seconds = Math.round(performance.now() - started_ms) / 1000;
    const count = done === undefined ? '' : `, ${done.toLocaleString('en')}`;
    if (stream.isTTY) write(`  ${step.padEnd(22)} ${seconds.toFixed(1)} s${count}`);
    else log.info({ step, seconds, ...(done === undefined ? {} : { done }) }, step);
  };
  if (stream.isTTY) write(`${dump.source} ${dump.dump_date}`);
  return {
    step(name) {
      end();
      step = name;
      started_ms = performance.now();
      done = undefined;
    },
    count(count, total) {
      done = count;
      if (!stream.isTTY) return;
      bar ??= startBar(stream, total);
      bar.update(count);
    },
    note: (sentence) => (stream.isTTY ? write(`  ${sentence}`) : log.warn(sentence)),
    close(hasFailed = false) {
      if (!hasFailed) end();
      stopBar();
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
