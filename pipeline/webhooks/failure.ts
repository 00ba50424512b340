import type { Outcome } from '../../sql/webhook/address.ts';
import { webhooks as figures } from '../figures.ts';
import type { LeasedWebhook, NextState } from './lease.ts';

/** The answers of a receiver that has too many calls. */
const slowDown = new Set([429, 502, 504]);

/** Returns the state after a failed call: the wait until the next attempt, or the end of all attempts. */
export function afterFailure(
  webhook: LeasedWebhook,
  { status_code, retry_after }: Outcome,
): NextState {
  const attempt_count = webhook.attempt_count + 1;
  const state = { ...webhook, attempt_count, wait_ms: null };
  if (status_code === 410) return { ...state, ending: 'gone' };
  const left_ms = figures.failing_ms - (webhook.failing_ms ?? 0);
  if (left_ms <= 0) return { ...state, ending: 'failing' };
  const wait_ms = Math.max(
    figures.waits_ms[Math.min(webhook.attempt_count, figures.waits_ms.length - 1)]!,
    slowDown.has(status_code ?? 0) ? figures.slowDown_ms : 0,
    Math.min(readRetryAfter(retry_after), figures.retryAfter_ms),
  );
  const jitter = 1 + Math.random() * figures.jitter;
  return { ...state, wait_ms: Math.round(Math.min(wait_ms * jitter, left_ms)) };
}

/** Returns the milliseconds of a header `Retry-After`, which holds seconds or a date; 0 for anything else. */
function readRetryAfter(text: string | null): number {
  if (text === null) return 0;
  const wait_ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return wait_ms > 0 ? wait_ms : 0;
}

/** Returns what the owner is mailed about a call of a feed; undefined for nothing. */
export function reportOf(
  { failing_since, failing_ms }: LeasedWebhook,
  state: NextState,
  { status_code, error }: Outcome,
) {
  const isLong = (failing_ms ?? 0) >= figures.mailed_ms;
  const isOver = failing_since !== null && state.attempt_count === 0;
  const failure = state.attempt_count > 0 && isLong ? 'unanswered' : undefined;
  const cause = state.ending ?? (isOver ? 'works' : failure);
  if (cause === undefined) return undefined;
  const since = (failing_since ?? new Date()).toISOString();
  return { cause, since, answer: error ?? `HTTP ${status_code}` };
}
