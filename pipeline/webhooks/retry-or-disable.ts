import type { Outcome } from '../../sql/webhook/address.ts';
import { webhooks as figures } from '../figures/webhook-calls.ts';
import { readRetryAfter } from '../retry-after.ts';
import type { LeasedWebhook } from './message.ts';

/** The HTTP status codes of an overloaded receiver, after which the next attempt waits at least `slowDown_ms`. */
const slowDown = new Set([429, 502, 504]);

/** Returns changes after a failed call: next attempt (by `waits_ms` of webhook-calls.ts) or `disabled`; and a mail. */
export function afterFailure(
  { failing_since, attempt_count }: LeasedWebhook,
  { is_slow, delivery }: { is_slow: boolean; delivery: Outcome },
) {
  const { status_code, retry_after, error } = delivery;
  const since = failing_since ?? new Date();
  const failing_ms = Date.now() - since.getTime();
  const left_ms = figures.failing_ms - failing_ms;
  const lasting = left_ms <= 0 ? 'failing' : undefined;
  const ending = status_code === 410 ? 'gone' : lasting;
  const wait_ms = Math.max(
    figures.waits_ms[Math.min(attempt_count, figures.waits_ms.length - 1)]!,
    slowDown.has(status_code ?? 0) ? figures.slowDown_ms : 0,
    Math.min(readRetryAfter(retry_after) ?? 0, figures.retryAfter_ms),
  );
  const jitter = 1 + Math.random() * figures.jitter;
  const changes = {
    is_slow,
    attempt_count: attempt_count + 1,
    failing_since: since,
    next_attempt_at: new Date(Date.now() + Math.min(wait_ms * jitter, left_ms)),
    ...(ending && ({ next_attempt_at: null, state: 'disabled', disabled_reason: ending } as const)),
  };
  const cause = ending ?? (failing_ms >= figures.mailed_ms ? 'unanswered' : undefined);
  const report = cause && { cause, since, answer: error ?? `HTTP ${status_code}` };
  return { changes, delivery, report };
}
