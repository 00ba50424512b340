import { setTimeout as delay } from 'node:timers/promises';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { webhooks as figures } from '../figures/webhook-retries.ts';
import type { LeasedWebhook } from './message.ts';
import { takeTurn, type TurnOptions } from './turn.ts';

interface News {
  night_count: string;
  snapshot_no: string;
}

/**
 * Calls the webhooks that are due, each in its turn and in the order of its feed, until the signal is aborted. Then
 * waits until the calls under way have ended. Parallel workers share the webhooks by leases. The lease of a killed
 * worker expires; another worker then repeats the call.
 *
 * @param onFault receives the error of a failed turn; the turn is repeated later
 */
export async function deliverWebhooks(
  options: TurnOptions,
  signal: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  const { lanes, lanesOfAccount, slowLanes, lease_s } = figures;
  const turns = new Set<Promise<void>>();
  let news: News | undefined;
  try {
    while (!signal.aborted) {
      const [found] = await runPrepared<News>(options.db, 'webhook/read_news.sql', []);
      if (found!.night_count !== news?.night_count) news = found;
      const { snapshot_no } = news!;
      const values = [lanes - turns.size, snapshot_no, lanesOfAccount, slowLanes, lease_s];
      const claimed = await runPrepared<LeasedWebhook>(options.db, 'webhook/claim.sql', values);
      for (const webhook of claimed) {
        const turn = takeTurn(options, webhook, snapshot_no)
          .catch(onFault)
          .finally(() => turns.delete(turn));
        turns.add(turn);
      }
      const tick = delay(figures.tick_ms, undefined, { signal }).catch(() => undefined);
      await Promise.race([...turns, tick]);
      // Turns that end at nearly the same time share one claim.
      await delay(figures.pause_ms);
    }
  } finally {
    await Promise.race([Promise.all(turns), delay(figures.grace_ms, undefined, { ref: false })]);
  }
}
