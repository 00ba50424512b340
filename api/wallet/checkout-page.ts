import { type Request, type Response, Router } from 'express';
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

/**
 * Serves the pages to which a checkout leads back, `/checkout/success` and `/checkout/cancel`. They
 * show the state of `?payment_id=`. For the provider `local`, also serves the checkout itself,
 * `/checkout/local/{payment_id}`. The random `payment_id` is the only proof that its buttons need.
 */
export function createCheckoutPages(options: AppOptions): Router {
  const { db } = options;
  const router = Router();

  const confirmed = 'The credits are added to your wallet once the payment is confirmed.';
  for (const [page, title, text] of [
    ['success', 'Thank you', confirmed],
    ['cancel', 'Checkout left', 'Nothing was paid.'],
  ] as const) {
    router
      .route(`/checkout/${page}`)
      .get(async (request, response) => {
        const payment = await findPayment(db, request.query.payment_id);
        // An open checkout can still be paid until it expires.
        const isLeft = page === 'cancel' && payment?.state === 'open';
        if (payment && !isLeft) sendOutcome(response, payment);
        else sendPage(response, 200, title, `<p>${text}</p>\n${back}`);
      })
      .all(onlyAllow('GET, HEAD'));
  }

  if (options.payment?.name === 'local') addLocalCheckout(router, options);
  return router;
}

function addLocalCheckout(router: Router, { db, now }: AppOptions): void {
  function withPayment(handle: (payment: Payment, response: Response) => void | Promise<void>) {
    return async (request: Request, response: Response) => {
      const payment = await findPayment(db, request.params.payment_id);
      if (payment?.provider === 'local') await handle(payment, response);
      else
        sendPage(response, 404, 'Unknown checkout', `<p>There is no such checkout.</p>\n${back}`);
    };
  }

  const show = withPayment((payment, response) => {
    if (payment.state === 'open') sendOrder(response, payment);
    else sendOutcome(response, payment);
  });
  router.route('/checkout/local/:payment_id').get(show).all(onlyAllow('GET, HEAD'));

  for (const [button, state, page] of [
    ['pay', 'paid', 'success'],
    ['cancel', 'cancelled', 'cancel'],
  ] as const) {
    const press = withPayment(async ({ payment_id, provider, currency, ...payment }, response) => {
      const price = Number(payment.price);
      // A cancelled checkout cannot be paid.
      if (payment.state === 'open') {
        const report = { payment_id, provider, provider_ref: payment_id, state, price, currency };
        await settle(db, report, now());
      }
      response.redirect(303, `/checkout/${page}?payment_id=${payment_id}`);
    });
    router.route(`/checkout/local/:payment_id/${button}`).post(press).all(onlyAllow('POST'));
  }
}
