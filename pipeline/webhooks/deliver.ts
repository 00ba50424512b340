import { runPrepared } from '../../sql/connection/prepared.ts';
import { webhooks as figures } from '../figures/webhook-calls.ts';
import { workInLanes } from '../repeat.ts';
import type { LeasedWebhook } from './message.ts';
import { takeTurn, type TurnOptions } from './turn.ts';

interface News {
  night_count: string;
  snapshot_no: string;
}

/**
 * Calls the due webhooks until the signal is aborted, then waits until all running calls have ended. A webhook receives
 * events in the order of its feed. Parallel workers share the webhooks by leases: after the lease of a killed worker
 * expires, another worker repeats the call. `sql/webhook/address.ts` makes each call, and cuts the answer, within the
 * limits of `webhookCall`.
 *
 * @param onFault receives the error that ended the calls to an endpoint; the calls are repeated after the lease
 */
export function deliverWebhooks(
  options: TurnOptions,
  signal: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  const { lanesOfAccount, slowLanes, lease_s } = figures;
  let news: News | undefined;
  const claim = async (free: number) => {
    const [found] = await runPrepared<News>(options.db, 'webhook/newest_snapshot.sql', []);
    if (found!.night_count !== news?.night_count) news = found;
    const values = [free, news!.snapshot_no, lanesOfAccount, slowLanes, lease_s];
    return runPrepared<LeasedWebhook>(options.db, 'webhook/claim.sql', values);
  };
  const call = (webhook: LeasedWebhook) => takeTurn(options, webhook, news!.snapshot_no);
  return workInLanes(figures, claim, call, signal, onFault);
}
