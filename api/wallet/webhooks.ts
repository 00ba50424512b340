import { raw, Router, type Request } from 'express';
import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { HttpError, onlyAllow } from '../http/errors.ts';
import type { StripePayment } from './stripe.ts';
import { settle, type Report } from './settlement.ts';

const payloadLimit = '1mb';

const session = z.object({
  id: z.string().regex(/^\w{1,255}$/),
  metadata: z.object({ payment_id: z.uuid() }).nullish().catch(null),
  amount_total: z.int().nullable(),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/)
    .nullable(),
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

// A session can be completed before its money has arrived: a second event then tells what came of it.
function stateOf({ type, data }: CheckoutEvent): Report['state'] | undefined {
  if (type === 'checkout.session.expired') return 'expired';
  if (type === 'checkout.session.async_payment_failed') return 'failed';
  return data.object.payment_status === 'paid' ? 'paid' : undefined;
}

/** Throws the 400 of what Stripe has not signed, or not for us, or too long ago. */
function readEvent(payment: StripePayment, request: Request, now: Date): unknown {
  const payload: unknown = request.body;
  try {
    if (!(payload instanceof Uint8Array)) throw new Error('No payload');
    return payment.readEvent(payload, request.get('stripe-signature') ?? '', now);
  } catch {
    throw new HttpError(400, { message: 'The signature of the webhook is not valid.' });
  }
}

/** Null when the event is none of ours. Throws the 400 of one of ours, or what is none, that cannot be read. */
function parseEvent(event: unknown): CheckoutEvent | null {
  const result = checkoutEvent.safeParse(event);
  if (result.success) return result.data;
  if (result.error.issues.some(({ path }) => path[0] === 'type')) return null;
  throw new HttpError(400, { message: 'The event cannot be read.' });
}

/**
 * `POST /api/v1/webhooks/stripe`, where Stripe reports what has become of the checkouts.
 *
 * What Stripe has to send again gets another status than 200: what is not signed, not readable, or
 * not kept because the database failed. What no repetition can mend gets 200 with `result`
 * `refused` or `unknown`, and is logged.
 */
export function createWebhooks({ db, logger, now, payment }: AppOptions): Router {
  const router = Router();
  if (payment.name !== 'stripe') return router;

  router
    .route('/api/v1/webhooks/stripe')
    .post(
      raw({ type: () => true, limit: payloadLimit, inflate: false }),
      async (request, response) => {
        const received_at = now();
        const event = parseEvent(readEvent(payment, request, received_at));
        const state = event && stateOf(event);
        if (!event || !state) {
          response.json({ received: true, result: 'ignored' });
          return;
        }
        const { id: provider_ref, metadata, amount_total: price, currency } = event.data.object;
        const payment_id = metadata?.payment_id;
        const report = { provider: payment.name, provider_ref, state, price, currency };
        const result = payment_id
          ? await settle(db, { payment_id, ...report }, received_at)
          : 'unknown';
        if (result === 'refused' || result === 'unknown') {
          logger.error({ payment_id, ...report, result }, 'A payment was not credited');
        }
        response.json({ received: true, result });
      },
    )
    .all(onlyAllow('POST'));

  return router;
}
