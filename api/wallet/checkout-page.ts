import { Router, type Response } from 'express';
import { z } from 'zod';
import type { Db } from '../../sql/kysely.ts';
import { escapeHtml } from '../../sql/html.ts';
import type { AppOptions } from '../app.ts';
import { onlyAllow } from '../http/errors.ts';
import { sendPage } from '../pages/page.ts';
import { type Payment, priceOf, selectPayment } from './payment.ts';
import { settle } from './settlement.ts';

async function findPayment(db: Db, given: unknown): Promise<Payment | undefined> {
  const { data: payment_id } = z.uuid().safeParse(given);
  return payment_id === undefined ? undefined : selectPayment(db, payment_id).executeTakeFirst();
}

const back = '<p><a class="button" href="/console#wallet">Back to the console</a></p>';

const outcomes: Record<Payment['state'], (payment: Payment) => [title: string, text: string]> = {
  open: ({ credits }) => [
    'Thank you',
    `The payment is being confirmed. The ${credits} credits are added to your wallet as soon as it is.`,
  ],
  paid: ({ credits }) => ['Payment received', `${credits} credits were added to your wallet.`],
  cancelled: () => ['Checkout cancelled', 'Nothing was paid.'],
  expired: () => ['Checkout expired', 'Nothing was paid. Open a new checkout to buy credits.'],
  failed: () => ['Payment failed', 'Nothing was paid. Open a new checkout to buy credits.'],
  refused: () => [
    'Payment not accepted',
    'What was paid is not what was asked for, so no credits were added. Please contact us.',
  ],
};

function sendOutcome(response: Response, payment: Payment): void {
  const [title, text] = outcomes[payment.state](payment);
  sendPage(response, 200, title, `<p>${escapeHtml(text)}</p>\n${back}`);
}

function sendOrder(response: Response, payment: Payment): void {
  const { payment_id, package_name, credits, price, currency } = payment;
  const path = `/checkout/local/${payment_id}`;
  const amount = `${priceOf(price, currency)} ${currency.toUpperCase()}`;
  sendPage(
    response,
    200,
    'Checkout',
    `<p>For development: nothing is charged here.</p>
<dl>
<dt>Package</dt><dd>${escapeHtml(package_name)}</dd>
<dt>Credits</dt><dd>${credits}</dd>
<dt>Price</dt><dd>${escapeHtml(amount)}</dd>
</dl>
<form class="inline" method="post" action="${path}/pay"><button>Pay</button></form>
<form class="inline" method="post" action="${path}/cancel"><button>Cancel</button></form>`,
  );
}

function sendUnknown(response: Response): void {
  sendPage(response, 404, 'Unknown checkout', `<p>There is no such checkout.</p>\n${back}`);
}

/**
 * Serves the pages to which a checkout leads back, `/checkout/success` and `/checkout/cancel`. They
 * show the state of `?payment_id=`. For the provider `local`, also serves the checkout itself,
 * `/checkout/local/{payment_id}`. The random `payment_id` is the only proof that its buttons need.
 */
export function createCheckoutPages(options: AppOptions): Router {
  const { db } = options;
  const router = Router();

  router
    .route('/checkout/success')
    .get(async (request, response) => {
      const payment = await findPayment(db, request.query.payment_id);
      if (payment) sendOutcome(response, payment);
      else {
        const text = 'The credits are added to your wallet once the payment is confirmed.';
        sendPage(response, 200, 'Thank you', `<p>${text}</p>\n${back}`);
      }
    })
    .all(onlyAllow('GET, HEAD'));

  router
    .route('/checkout/cancel')
    .get(async (request, response) => {
      const payment = await findPayment(db, request.query.payment_id);
      // An open checkout can still be paid until it expires.
      if (payment && payment.state !== 'open') sendOutcome(response, payment);
      else sendPage(response, 200, 'Checkout left', `<p>Nothing was paid.</p>\n${back}`);
    })
    .all(onlyAllow('GET, HEAD'));

  if (options.payment?.name === 'local') addLocalCheckout(router, options);
  return router;
}

function addLocalCheckout(router: Router, { db, now }: AppOptions): void {
  async function findLocal(payment_id: unknown): Promise<Payment | undefined> {
    const payment = await findPayment(db, payment_id);
    return payment?.provider === 'local' ? payment : undefined;
  }

  router
    .route('/checkout/local/:payment_id')
    .get(async (request, response) => {
      const payment = await findLocal(request.params.payment_id);
      if (!payment) sendUnknown(response);
      else if (payment.state === 'open') sendOrder(response, payment);
      else sendOutcome(response, payment);
    })
    .all(onlyAllow('GET, HEAD'));

  const buttons = [
    { button: 'pay', state: 'paid', next: 'success' },
    { button: 'cancel', state: 'cancelled', next: 'cancel' },
  ] as const;
  for (const { button, state, next } of buttons) {
    router
      .route(`/checkout/local/:payment_id/${button}`)
      .post(async (request, response) => {
        const payment = await findLocal(request.params.payment_id);
        if (!payment) {
          sendUnknown(response);
          return;
        }
        const { payment_id, provider, currency } = payment;
        const price = Number(payment.price);
        // A cancelled checkout cannot be paid.
        if (payment.state === 'open') {
          const report = { payment_id, provider, provider_ref: payment_id, state, price, currency };
          await settle(db, report, now());
        }
        response.redirect(303, `/checkout/${next}?payment_id=${payment_id}`);
      })
      .all(onlyAllow('POST'));
  }
}
