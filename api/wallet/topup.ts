import { z } from 'zod';
import type { AppOptions } from '../app.ts';
import { openTopup } from './checkout.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { idempotencyHeader, readIdempotencyKey } from './idempotency.ts';
import { priceOf } from './payment.ts';

const success = z.literal('success');

const creditPackage = z
  .strictObject({
    package_slug: z.string(),
    name: z.string(),
    credits: z.int(),
    price: z.string(),
    currency: z.string(),
  })
  .meta({ id: 'CreditPackage', description: 'What can be bought with `POST /wallet/topup`.' });

const packagesAnswer = z.strictObject({ status: success, data: z.array(creditPackage) });

const slugForm = 'The package_slug field must have 1 to 100 characters.';

const topupRequest = z.strictObject({
  package_slug: z.string().min(1, { error: slugForm }).max(100, { error: slugForm }),
});

const topupAnswer = z.strictObject({
  status: success,
  data: z
    .strictObject({ checkout_url: z.url(), package: z.string(), credits: z.int() })
    .meta({ id: 'Checkout', description: 'A hosted checkout that waits for its payment.' }),
});

/** The packages of credits, and their checkout. */
export function topupEndpoints(options: AppOptions): Endpoint[] {
  const packages = endpoint(
    {
      method: 'get',
      path: '/wallet/packages',
      tag: 'Wallet',
      summary: 'List the packages of credits',
      description: 'What can be bought with `POST /wallet/topup`, the smallest first.',
      auth: 'token',
      answer: packagesAnswer,
      example: {
        status: 'success',
        data: [
          {
            package_slug: 'starter',
            name: 'Starter',
            credits: 500,
            price: '49.00',
            currency: 'PLN',
          },
        ],
      },
    },
    async () => {
      const offered = await options.db
        .selectFrom('customer.credit_package')
        .select(['package_slug', 'name', 'credits', 'price', 'currency'])
        .where('is_offered', '=', true)
        .orderBy('credits')
        .orderBy('package_slug')
        .execute();
      const data = offered.map(({ credits, price, currency, ...named }) => ({
        ...named,
        credits: Number(credits),
        price: priceOf(price, currency),
        currency: currency.toUpperCase(),
      }));
      return { status: 'success', data };
    },
  );

  const topup = endpoint(
    {
      method: 'post',
      path: '/wallet/topup',
      tag: 'Wallet',
      summary: 'Buy credits',
      description:
        'Opens a hosted checkout; `checkout_url` is to be opened in a browser. The credits are added once the payment is confirmed. The same `Idempotency-Key` within 24 hours gives the same checkout; with another body it is refused.',
      auth: 'token',
      headers: idempotencyHeader,
      body: topupRequest,
      bodyExample: { package_slug: 'starter' },
      answer: topupAnswer,
      example: {
        status: 'success',
        data: {
          checkout_url: 'https://checkout.example.com/c/pay/cs_live_a1',
          package: 'starter',
          credits: 500,
        },
      },
      errors: {
        502: {
          description: 'The payment provider refused',
          example: { message: 'The payment provider refused to open a checkout.' },
        },
        503: {
          description: 'The payment provider does not answer, or there is none',
          example: { message: 'The payment provider does not answer; try again later.' },
        },
      },
    },
    async ({ body: { package_slug }, caller: { account_id }, request, response }) => {
      const key = readIdempotencyKey(request);
      const { payment } = options;
      if (!payment) throw new HttpError(503, { message: 'Top-ups are currently switched off.' });
      const opened = await openTopup({ ...options, payment }, { account_id, package_slug, key });
      response.set(opened.headers);
      return { status: 'success', data: opened.body };
    },
  );

  return [packages, topup];
}
