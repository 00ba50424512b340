import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { onlyAllow } from '../http/errors.ts';
import { addRead, createRouter } from '../http/router.ts';
import { sendPrivatePage } from '../html/page.ts';
import { keepLanguage } from '../html/texts.ts';
import { type PaymentOptions, priceOf } from './payment.ts';
import { type Payment, selectPayment } from './stored-payment.ts';
import { settle } from './settlement.ts';

/** Returns the payment with the id `given`; undefined for an unknown or malformed `payment_id`. */
async function findPayment(db: Db, given: unknown) {
  const { data: payment_id } = z.uuid().safeParse(given);
  if (payment_id === undefined) return undefined;
  return selectPayment(db, payment_id).executeTakeFirst();
}

/**
 * Serves the pages to which a checkout sends the buyer back; for the provider `local`, also the checkout itself. Anyone
 * who knows the random `payment_id` may use the buttons of the local checkout.
 */
export function createCheckoutPages(options: PaymentOptions): Router {
  const { db } = options;
  const router = createRouter();

  for (const page of ['success', 'cancel']) {
    addRead(router, `/checkout/${page}`, async (request, response) => {
      const payment = await findPayment(db, request.query.payment_id);
      // A buyer who leaves an open checkout without paying can still pay until the checkout expires.
      const isLeft = page === 'cancel' && payment?.state === 'open';
      const state = page === 'cancel' ? 'left' : page;
      const outcome = payment && !isLeft ? payment : { state, language: payment?.language };
      sendPrivatePage(response, 200, 'checkout-outcome', outcome);
    });
  }

  if (options.payment?.name === 'local') addLocalCheckout(router, options);
  return router;
}

function addLocalCheckout(router: Router, { db, now }: Context): void {
  function withPayment(handle: (payment: Payment, response: Response) => void | Promise<void>) {
    return async (request: Request, response: Response) => {
      const payment = await findPayment(db, request.params.payment_id);
      if (payment?.provider === 'local') await handle(payment, response);
      else sendPrivatePage(response, 404, 'checkout-outcome', { state: 'unknown' });
    };
  }

  const show = withPayment((payment, response) => {
    const { state, currency } = payment;
    const price = `${priceOf(payment.price, currency)} ${currency.toUpperCase()}`;
    const template = state === 'open' ? 'checkout-order' : 'checkout-outcome';
    sendPrivatePage(response, 200, template, { ...payment, price });
  });
  addRead(router, '/checkout/local/:payment_id', show);

  for (const [button, state, page] of [
    ['pay', 'paid', 'success'],
    ['cancel', 'cancelled', 'cancel'],
  ] as const) {
    const press = withPayment(async ({ payment_id, provider, currency, ...payment }, response) => {
      const price = Number(payment.price);
      // Only an open checkout can be paid or cancelled.
      if (payment.state === 'open') {
        const report = { payment_id, provider, provider_ref: payment_id, state, price, currency };
        await settle(db, report, now());
      }
      const address = `/checkout/${page}?payment_id=${payment_id}`;
      response.redirect(303, keepLanguage(response.req, address));
    });
    router.route(`/checkout/local/:payment_id/${button}`).post(press).all(onlyAllow('POST'));
  }
}
