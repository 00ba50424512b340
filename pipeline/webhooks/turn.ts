import pRetry from 'p-retry';
import type { Db } from '../../sql/connection/kysely.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { readFeed } from '../../sql/feed.ts';
import { type Agent, postSafely } from '../../sql/webhook/address.ts';
import { webhooks as figures } from '../figures.ts';
import { afterFailure, reportOf } from './failure.ts';
import type { LeasedWebhook, NextState } from './lease.ts';
import { composeMessage, composeTest, type Message, writeRequest } from './message.ts';

export interface TurnOptions {
  db: Db;
  agent: Agent;
  secretKey: string;
}

/**
 * Takes the turn of an endpoint: calls it part after part of its feed for a second, then gives the lease back. After an
 * error the lease ends by itself, and the turn is repeated.
 *
 * @param snapshot_no the snapshot of the newest night
 */
export async function takeTurn(
  options: TurnOptions,
  webhook: LeasedWebhook,
  snapshot_no: string,
): Promise<void> {
  const ends_at = Date.now() + figures.turn_ms;
  const take = webhook.test_requested_at ? callForTest : callOnce;
  let current: LeasedWebhook | undefined = webhook;
  while (current) current = await take(options, current, snapshot_no, ends_at);
}

/** Reads one part of the feed, and calls the endpoint where there is something to tell. */
async function callOnce(
  options: TurnOptions,
  webhook: LeasedWebhook,
  snapshot_no: string,
  ends_at: number,
): Promise<LeasedWebhook | undefined> {
  const { account_id, scope, max_events: limit, feed_filter: filter } = webhook;
  const after = webhook.scanned_event_id ?? webhook.event_id;
  const part = await readFeed(options.db, { account_id, scope, after, limit, filter });
  if (!part) throw new Error(`The position ${after} of webhook ${webhook.webhook_id} is unknown`);
  const reach = (has_more: boolean) => ({
    ...webhook,
    attempt_count: 0,
    failing_since: null,
    failing_ms: null,
    goes_on: has_more && Date.now() < ends_at,
    // The snapshot counts as heard when nothing more follows.
    ...(has_more ? { wait_ms: 0 } : { wait_ms: null, snapshot_no }),
  });
  const message = composeMessage(webhook, part);
  if (!message) {
    const scanned_event_id = part.last_event_id;
    return endCall(options, webhook, { ...reach(part.has_more), scanned_event_id });
  }
  const { outcome, isAccepted, is_slow, delivery } = await call(options, webhook, message);
  const { event_id, published, has_more } = message;
  const position = { event_id, published, scanned_event_id: null };
  const state = isAccepted ? { ...reach(has_more), ...position } : afterFailure(webhook, outcome);
  const report = reportOf(webhook, state, outcome);
  return endCall(options, webhook, { ...state, is_slow }, delivery, report);
}

/** Makes the call that the client has asked for. Its success ends the wait for the next attempt. */
async function callForTest(options: TurnOptions, webhook: LeasedWebhook): Promise<undefined> {
  const { isAccepted, is_slow, delivery } = await call(options, webhook, composeTest(webhook));
  const { next_attempt_at } = webhook;
  const wait_ms = isAccepted || !next_attempt_at ? null : next_attempt_at.getTime() - Date.now();
  await endCall(options, webhook, { ...webhook, is_slow, wait_ms, is_test: true }, delivery);
}

/** Calls an endpoint. Returns the outcome, and the row of `customer.webhook_delivery`. */
async function call({ agent, secretKey }: TurnOptions, webhook: LeasedWebhook, message: Message) {
  const started_at = new Date();
  const outcome = await postSafely(agent, writeRequest(webhook, message, secretKey, started_at));
  const duration_ms = Date.now() - started_at.getTime();
  const { status_code } = outcome;
  const { events, ...told } = message;
  const delivery = {
    ...told,
    ...outcome,
    started_at,
    duration_ms,
    previous_event_id: webhook.event_id,
    event_count: events.length,
    attempt_no: webhook.attempt_count + 1,
  };
  const isAccepted = status_code !== null && status_code >= 200 && status_code < 300;
  return { outcome, isAccepted, is_slow: duration_ms > figures.slow_ms, delivery };
}

/**
 * Keeps what a call has changed; tries again where the session is lost. Returns the endpoint where its turn goes on,
 * else gives the lease back.
 */
async function endCall(
  { db }: TurnOptions,
  { webhook_id, lease, event_id, replay_count }: LeasedWebhook,
  state: NextState,
  delivery: object | null = null,
  report: object | null = null,
): Promise<NextState | undefined> {
  const parts = [state, delivery, report].map((part) => part && JSON.stringify(part));
  const values = [webhook_id, lease, event_id, replay_count, ...parts, figures.keptCalls];
  const end = () => runPrepared(db, 'webhook/end_turn.sql', values);
  const ended = await pRetry(end, {
    ...figures.end,
    shouldRetry: ({ error }) => isLostConnection(error),
  });
  return ended.length > 0 && state.goes_on ? { ...state, goes_on: false } : undefined;
}
