import { setTimeout as delay } from 'node:timers/promises';

/** Does some work again and again until the signal, also after a fault. */
export async function repeat(
  work: () => Promise<void>,
  pause_ms: number,
  signal: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(onFault);
    await delay(pause_ms, undefined, { signal }).catch(() => undefined);
  }
}
