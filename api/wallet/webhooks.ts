import { raw, Router, type Request } from 'express';
import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { HttpError, onlyAllow } from '../http/errors.ts';
import type { StripePayment } from './stripe.ts';
import { reverse } from './reversal.ts';
import { settle, type Report } from './settlement.ts';

const stripeId = z.string().regex(/^\w{1,255}$/);

const currencyCode = z.string().regex(/^[a-z]{3}$/);

const shared = z.object({
  // Stripe copies our `payment_id` from a checkout to its payment and its charge.
  metadata: z.object({ payment_id: z.uuid() }).optional().catch(undefined),
  /** The payment of a checkout, a charge or a dispute. */
  payment_intent: stripeId.optional().catch(undefined),
});

const session = shared.extend({
  id: stripeId,
  amount_total: z.int().nullable(),
  currency: currencyCode.nullable(),
  payment_status: z.string(),
});

const checkoutEvent = z.object({
  type: z.enum([
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
    'checkout.session.async_payment_failed',
    'checkout.session.expired',
  ]),
  data: z.object({ object: session }),
});

type CheckoutEvent = z.output<typeof checkoutEvent>;

const reversed = shared.extend({ currency: z.string() });

// https://docs.stripe.com/api/charges/object: `amount_refunded` is the sum of all refunds so far.
const refundEvent = z.object({
  type: z.literal('charge.refunded'),
  data: z.object({ object: reversed.extend({ amount_refunded: z.int().nonnegative() }) }),
});

// https://docs.stripe.com/api/disputes/object
const disputeEvent = z.object({
  type: z.literal('charge.dispute.created'),
  data: z.object({ object: reversed.extend({ amount: z.int().nonnegative() }) }),
});

const stripeEvent = z.discriminatedUnion('type', [checkoutEvent, refundEvent, disputeEvent]);

type StripeEvent = z.output<typeof stripeEvent>;

// A session can be completed before the money arrives. A second event then reports the outcome.
function stateOf({ type, data }: CheckoutEvent): Report['state'] | undefined {
  if (type === 'checkout.session.expired') return 'expired';
  if (type === 'checkout.session.async_payment_failed') return 'failed';
  return data.object.payment_status === 'paid' ? 'paid' : undefined;
}

/**
 * Checks the signature of an event, and parses it. Returns undefined for an event of another type.
 * Throws a 400 for an invalid or expired signature, and for a malformed event.
 */
function readEvent(payment: StripePayment, request: Request, now: Date): StripeEvent | undefined {
  const payload: unknown = request.body;
  let event: unknown;
  try {
    if (!(payload instanceof Uint8Array)) throw new Error('No payload');
    event = payment.readEvent(payload, request.get('stripe-signature') ?? '', now);
  } catch {
    throw new HttpError(400, { message: 'The signature of the webhook is not valid.' });
  }
  const { data, error } = stripeEvent.safeParse(event);
  if (error?.issues.every(({ path }) => path[0] !== 'type')) {
    throw new HttpError(400, { message: 'The event cannot be read.' });
  }
  return data;
}

type WebhookOptions = Pick<AppOptions, 'db' | 'logger'> & { received_at: Date };

/** Does what an event asks for. Returns the `result` of the answer. */
async function handleEvent(options: WebhookOptions, event: StripeEvent): Promise<string> {
  switch (event.type) {
    case 'charge.refunded': {
      const { object } = event.data;
      return reversePayment(options, object, 'refund', object.amount_refunded);
    }
    case 'charge.dispute.created': {
      const { object } = event.data;
      return reversePayment(options, object, 'dispute', object.amount);
    }
    default:
      return settleCheckout(options, event);
  }
}

async function settleCheckout(
  { db, logger, received_at }: WebhookOptions,
  event: CheckoutEvent,
): Promise<string> {
  const state = stateOf(event);
  if (!state) return 'ignored';
  const { object } = event.data;
  const payment_id = object.metadata?.payment_id;
  const report = {
    provider: 'stripe',
    provider_ref: object.id,
    charge_ref: object.payment_intent,
    state,
    price: object.amount_total,
    currency: object.currency,
  };
  const result = payment_id ? await settle(db, { payment_id, ...report }, received_at) : 'unknown';
  if (result === 'refused' || result === 'unknown') {
    logger.error({ payment_id, ...report, result }, 'A payment was not credited');
  }
  return result;
}

async function reversePayment(
  { db, logger, received_at }: WebhookOptions,
  { metadata, payment_intent: charge_ref, currency }: z.output<typeof reversed>,
  cause: 'refund' | 'dispute',
  amount: number,
): Promise<string> {
  const { payment_id } = metadata ?? {};
  const reversal = { provider: 'stripe', payment_id, charge_ref, cause, amount, currency };
  const result = await reverse(db, reversal, received_at);
  if (result === 'unknown') logger.warn(reversal, 'A refund or dispute is of no payment of ours');
  return result;
}

/**
 * `POST /api/v1/webhooks/stripe`, where Stripe reports the outcome of checkouts, refunds and disputes.
 *
 * Stripe repeats an event until it gets a 200. An unsigned or malformed event, or one that the database
 * failed to store, gets another status. Where sending the event again would not help, the answer is 200
 * with `result` `refused` or `unknown`, and the event is logged.
 */
export function createWebhooks({ db, logger, now, payment }: AppOptions): Router {
  const router = Router();
  if (payment?.name !== 'stripe') return router;

  router
    .route('/api/v1/webhooks/stripe')
    .post(raw({ type: () => true, limit: '1mb', inflate: false }), async (request, response) => {
      const received_at = now();
      const event = readEvent(payment, request, received_at);
      const result = event ? await handleEvent({ db, logger, received_at }, event) : 'ignored';
      response.json({ received: true, result });
    })
    .all(onlyAllow('POST'));

  return router;
}
