import pRetry from 'p-retry';
import type { Db } from '../../sql/connection/kysely.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { type FeedFilter, readFeed } from '../../sql/feed.ts';
import { type Agent, postSafely } from '../../sql/webhook/address.ts';
import { webhooks as figures } from '../figures/webhook-calls.ts';
import { afterFailure } from './retry-or-disable.ts';
import {
  composeMessage,
  composeTest,
  type LeasedWebhook,
  type Message,
  writeRequest,
} from './message.ts';

export interface TurnOptions {
  db: Db;
  agent: Agent;
  secretKey: string;
}

/**
 * Takes a turn, a series of calls to one leased endpoint. For one second, sends message after message (message.ts) from
 * the endpoint's feed, and saves the outcome of each call. Saving is retried if the database session is lost. Saving
 * the last outcome ends the lease. After any other error, the turn is repeated when the lease has expired. Slow
 * endpoints do not delay fast ones: sql/webhook/claim.sql limits their leases.
 *
 * @param snapshot_no the number of the newest snapshot
 */
export async function takeTurn(
  options: TurnOptions,
  webhook: LeasedWebhook,
  snapshot_no: string,
): Promise<void> {
  const ends_at = Date.now() + figures.turn_ms;
  let current: LeasedWebhook | undefined = webhook;
  while (current) {
    const lease: unknown[] = [current.webhook_id, current.leased_until, current.replay_count];
    const take = current.test_requested_at ? callForTest : callOnce;
    const result: Result = await take(options, current, snapshot_no);
    const { changes, delivery, report, has_more } = result;
    const goes_on = has_more === true && Date.now() < ends_at;
    const values = [...lease, changes, goes_on, delivery, report, figures.keptCalls];
    const end = () => runPrepared<LeasedWebhook>(options.db, 'webhook/end_turn.sql', values);
    [current] = await pRetry(end, {
      ...figures.end,
      shouldRetry: ({ error }) => isLostConnection(error),
    });
  }
}

/** The outcome of a call: changes of `customer.webhook`, a row of `customer.webhook_delivery`, a mail to the owner. */
interface Result {
  changes: Partial<LeasedWebhook>;
  delivery?: object;
  report?: object | null | undefined;
  has_more?: boolean;
}

/** Calls the endpoint if `composeMessage` of message.ts makes a message (such as a heartbeat) of the next feed part. */
async function callOnce(
  options: TurnOptions,
  webhook: LeasedWebhook,
  snapshot_no: string,
): Promise<Result> {
  const { account_id, scope, max_events: limit, failing_since: since } = webhook;
  const after = webhook.scanned_event_id ?? webhook.event_id;
  const filter = webhook.feed_filter as FeedFilter;
  const part = await readFeed(options.db, { account_id, scope, after, limit, filter });
  if (!part) throw new Error(`The position ${after} of webhook ${webhook.webhook_id} is unknown`);
  const message = composeMessage(webhook, part);
  const called = message && (await call(options, webhook, message));
  if (called?.isAccepted === false) return afterFailure(webhook, called);
  const { has_more } = message ?? part;
  const changes = {
    attempt_count: 0,
    failing_since: null,
    scanned_event_id: message ? null : part.last_event_id,
    ...(message && { event_id: message.event_id, published: message.published }),
    ...(called && { is_slow: called.is_slow }),
    // When no events are left, `snapshot_no` records that the endpoint has received all events of this snapshot.
    ...(has_more ? { next_attempt_at: new Date() } : { next_attempt_at: null, snapshot_no }),
  };
  const report = called && since && { cause: 'works', since };
  return { changes, report, has_more, ...(called && { delivery: called.delivery }) };
}

/** Makes the test call that the client has requested. After its success, a failing endpoint is due at once. */
async function callForTest(options: TurnOptions, webhook: LeasedWebhook): Promise<Result> {
  const { isAccepted, is_slow, delivery } = await call(options, webhook, composeTest(webhook));
  return { changes: { is_slow, ...(isAccepted && { next_attempt_at: null }) }, delivery };
}

/** Calls an endpoint. Returns the outcome of the call, with its row of `customer.webhook_delivery`. */
async function call({ agent, secretKey }: TurnOptions, webhook: LeasedWebhook, message: Message) {
  const started_at = new Date();
  const outcome = await postSafely(agent, writeRequest(webhook, message, secretKey, started_at));
  const duration_ms = Date.now() - started_at.getTime();
  const { events, ...told } = message;
  const delivery = {
    ...told,
    ...outcome,
    webhook_id: webhook.webhook_id,
    started_at,
    duration_ms,
    previous_event_id: webhook.event_id,
    event_count: events.length,
    attempt_no: webhook.attempt_count + 1,
  };
  const isAccepted = Math.trunc((outcome.status_code ?? 0) / 100) === 2;
  return { isAccepted, is_slow: duration_ms > figures.slow_ms, delivery };
}
