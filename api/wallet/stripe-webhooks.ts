import { raw, type Request, type RequestHandler, type Router } from 'express';
import { z } from 'zod';
import { sizes } from '../figures/sizes.ts';
import { readBounded } from '../http/bounded-body.ts';
import type { Context } from '../http/context.ts';
import { answerUnmatched, HttpError } from '../http/errors.ts';
import { createRouter } from '../http/router.ts';
import type { PaymentOptions } from './payment.ts';
import type { StripePayment } from './stripe.ts';
import { reverse } from './reversal.ts';
import { settle } from './settlement.ts';

const stripeId = z.string().regex(/^\w{1,255}$/);

const reported = z.object({
  // Stripe copies our `payment_id` from a checkout to the checkout's payment and charge.
  metadata: z.object({ payment_id: z.uuid() }).optional().catch(undefined),
  /** Stripe's id of the payment that a checkout, charge or dispute belongs to. */
  payment_intent: stripeId.optional().catch(undefined),
  currency: z.string(),
});

const session = reported.extend({
  id: stripeId,
  amount_total: z.int().nullable(),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/)
    .nullable(),
  payment_status: z.string(),
});

// `amount_refunded` is the sum of all refunds of a charge so far: https://docs.stripe.com/api/charges/object
const charge = reported.extend({ amount_refunded: z.int().nonnegative() });

// The fields that are read of Stripe's object for a dispute: https://docs.stripe.com/api/disputes/object
const dispute = reported.extend({
  id: stripeId,
  amount: z.int().nonnegative(),
  status: z.string().default(''),
});

/** Returns the schema of Stripe events of the given types. Each event is about one `object`, such as a dispute. */
function eventOf<Type extends string, Subject extends z.ZodType>(object: Subject, types: Type[]) {
  return z.object({ type: z.literal(types), data: z.object({ object }) });
}

const stripeEvent = z.discriminatedUnion('type', [
  eventOf(session, [
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
    'checkout.session.async_payment_failed',
    'checkout.session.expired',
  ]),
  eventOf(charge, ['charge.refunded']),
  eventOf(dispute, [
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
  ]),
]);

type StripeEvent = z.output<typeof stripeEvent>;

/** Returns a Stripe event (stripe.ts checks its signature); undefined for an ignored type. Throws a 400 for others. */
function readEvent(payment: StripePayment, request: Request, now: Date): StripeEvent | undefined {
  let event: unknown;
  try {
    const signature = request.get('stripe-signature') ?? '';
    event = payment.readEvent(request.body as Uint8Array | undefined, signature, now);
  } catch {
    throw new HttpError(400, { message: 'The signature of the webhook is not valid.' });
  }
  const { data, error } = stripeEvent.safeParse(event);
  if (error?.issues.every(({ path }) => path[0] !== 'type')) {
    throw new HttpError(400, { message: 'The event cannot be read.' });
  }
  return data;
}

// A checkout may be completed before the money arrives; then a second event reports whether it was paid.
function stateOf(type: string, payment_status: string): 'expired' | 'failed' | 'paid' | undefined {
  if (type === 'checkout.session.expired') return 'expired';
  if (type === 'checkout.session.async_payment_failed') return 'failed';
  return payment_status === 'paid' ? 'paid' : undefined;
}

/** Returns 'won' or 'dispute'; undefined for an inquiry or a prevented dispute, which moves no money. */
function causeOf(type: string, status: string): 'dispute' | 'won' | undefined {
  if (type === 'charge.dispute.funds_reinstated' || status === 'won') return 'won';
  return /^(warning_|prevented$)/.test(status) ? undefined : 'dispute';
}

/** Settles (only once: settlement.ts) or reverses the payment of a Stripe event, and returns the answer's `result`. */
async function handleEvent({ db, logger }: Context, event: StripeEvent, now: Date) {
  const subject = event.data.object;
  const { metadata, payment_intent: charge_ref, currency } = subject;
  const report = { provider: 'stripe', payment_id: metadata?.payment_id, charge_ref, currency };
  if ('payment_status' in subject) {
    const state = stateOf(event.type, subject.payment_status);
    if (!state) return 'ignored';
    const outcome = { ...report, provider_ref: subject.id, state, price: subject.amount_total };
    const result = await settle(db, outcome, now);
    if (result === 'refused' || result === 'unknown') {
      logger.error({ ...outcome, result }, 'A payment was not credited');
    }
    return result;
  }
  const isRefund = 'amount_refunded' in subject;
  const amount = isRefund ? subject.amount_refunded : subject.amount;
  const cause = isRefund ? ('refund' as const) : causeOf(event.type, subject.status);
  if (!cause) return 'ignored';
  const reversal = { ...report, cause, amount, dispute_ref: isRefund ? undefined : subject.id };
  const result = await reverse(db, reversal, now);
  if (result === 'unknown') logger.warn(reversal, 'A refund or dispute is of no payment of ours');
  return result;
}

/**
 * Serves `POST /api/v1/webhooks/stripe`, to which Stripe reports checkouts, refunds and disputes. A valid event that
 * has no effect gets a 200 too, since Stripe repeats events that get an error.
 */
export function createWebhooks(options: PaymentOptions, limitAddress: RequestHandler): Router {
  const router = createRouter();
  const { payment, now } = options;
  if (payment?.name !== 'stripe') return router;

  const readBytes = raw({ type: () => true, limit: sizes.webhook_bytes, inflate: false });
  const receive: RequestHandler = async (request, response) => {
    const received_at = now();
    const event = readEvent(payment, request, received_at);
    const result = event ? await handleEvent(options, event, received_at) : 'ignored';
    response.json({ received: true, result });
  };

  router
    .route('/api/v1/webhooks/stripe')
    .post(limitAddress, readBounded(sizes.webhook_bytes, readBytes), receive)
    // Methods other than POST are answered here; otherwise `/webhooks/{webhook_ref}` would match the path.
    .all((request, response, next) => {
      response.locals.allow = 'POST';
      return answerUnmatched(request, response, next);
    });

  return router;
}
