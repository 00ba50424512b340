import { setTimeout as delay } from 'node:timers/promises';
import { worker as figures } from './figures/worker-pauses.ts';

/** Repeats `work` with pauses until the signal is aborted. The pause after an error is at least five seconds. */
export async function repeat(
  work: () => Promise<unknown>,
  pause_ms: number,
  signal: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    let wait_ms = pause_ms;
    await work().catch((error: Error) => {
      onFault(error);
      wait_ms = Math.max(pause_ms, figures.faultPause_ms);
    });
    await delay(wait_ms, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Claims jobs and runs them in parallel until `signal` is aborted, then waits for the end of the running jobs.
 *
 * @param lanes the maximum number of parallel jobs
 * @param pause_ms the pause in ms after a job, after which one claim fetches a new job for each ended job.
 * @param claim returns at most `free` due jobs
 * @param onFault receives the error of a claim or a job; a failed job is due again later
 */
export async function workInLanes<Job>(
  { lanes, pause_ms }: { lanes: number; pause_ms: number },
  claim: (free: number) => Promise<Job[]>,
  work: (job: Job) => Promise<unknown>,
  signal: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const fill = async () => {
    for (const job of await claim(lanes - underWay.size)) {
      const ended = work(job)
        .catch(onFault)
        .finally(() => underWay.delete(ended));
      underWay.add(ended);
    }
    const tick = delay(figures.tick_ms, undefined, { signal }).catch(() => undefined);
    await Promise.race([...underWay, tick]);
  };
  await repeat(fill, pause_ms, signal, onFault);
  await Promise.all(underWay);
}
