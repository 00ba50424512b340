import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { answersStatus, model, text } from '../endpoint/answers.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { invalid, switchedOff } from '../http/errors.ts';
import {
  answerOnce,
  forgetAnswer,
  idempotencyHeader,
  type Operation,
  readIdempotencyKey,
} from './idempotency.ts';
import { type PaymentOptions, type PaymentProvider, priceOf } from './payment.ts';
import { selectPayment } from './stored-payment.ts';

const creditPackage = model('CreditPackage', {
  package_slug: text,
  name: text,
  credits: z.int(),
  price: text,
  currency: text,
});

const error = 'The package_slug field must have 1 to 100 characters.';

const checkout = model('Checkout', { checkout_url: z.url(), package: text, credits: z.int() });

/** Stores a payment in the state `open`, and returns its `payment_id`. Throws a 422 for an unknown credit package. */
async function recordPayment(
  tx: Tx,
  payment: { account_id: string; package_slug: string; provider: string; created_at: Date },
) {
  const offer = await tx
    .selectFrom('customer.credit_package')
    .select(['credits', 'price', 'currency'])
    .where('package_slug', '=', payment.package_slug)
    .where('is_offered', '=', true)
    .executeTakeFirstOrThrow(() => {
      const message = 'The package_slug field must be the slug of a package that is offered.';
      return invalid([['package_slug', message, 'unknown_value']]);
    });
  const payment_id = randomUUID();
  await tx
    .insertInto('customer.payment')
    .values({ payment_id, ...payment, ...offer, state: 'open' })
    .execute();
  return { body: { payment_id } };
}

/**
 * Returns the address of a payment's checkout; opens a checkout if the payment has none yet. If the provider fails, the
 * payment becomes `failed`, and the client can use its `Idempotency-Key` again.
 */
async function openCheckout(
  { db, logger, now }: Context,
  provider: PaymentProvider,
  operation: Operation,
  payment_id: string,
) {
  const payment = await selectPayment(db, payment_id).executeTakeFirstOrThrow();
  const topup = { package: payment.package_slug, credits: Number(payment.credits) };
  if (payment.checkout_url) return { checkout_url: payment.checkout_url, ...topup };

  const opened = await provider.openCheckout(payment).catch(async (fault: Error) => {
    const { message: reason } = fault.cause instanceof Error ? fault.cause : fault;
    logger.error({ payment_id, reason }, 'No checkout could be opened');
    await db.transaction().execute(async (tx) => {
      const failed = await tx
        .updateTable('customer.payment')
        .set({ state: 'failed', refusal: reason, ended_at: now() })
        .where('payment_id', '=', payment_id)
        .where('state', '=', 'open')
        .where('provider_ref', 'is', null)
        .executeTakeFirst();
      // The `Idempotency-Key` stays used if a parallel request has opened a checkout meanwhile.
      if (failed.numUpdatedRows > 0n) await forgetAnswer(tx, operation);
    });
    throw fault;
  });
  await db
    .updateTable('customer.payment')
    .set({ ...opened, state: 'open', refusal: null, ended_at: null })
    .where('payment_id', '=', payment_id)
    // Before the provider answers, the payment may be paid, or a parallel request may set it to `failed`.
    .where('state', 'in', ['open', 'failed'])
    .execute();
  return { checkout_url: opened.checkout_url, ...topup };
}

/** Returns the credit packages that are offered; the package with the fewest credits is first. */
export async function findPackages(db: Db) {
  const offered = await db
    .selectFrom('customer.credit_package')
    .select(['package_slug', 'name', 'credits', 'price', 'currency'])
    .where('is_offered', '=', true)
    .orderBy('credits')
    .orderBy('package_slug')
    .execute();
  return offered.map(({ credits, price, currency, ...named }) => ({
    ...named,
    credits: Number(credits),
    price: priceOf(price, currency),
    currency: currency.toUpperCase(),
  }));
}

const packages = endpoint(
  {
    method: 'get',
    path: '/wallet/packages',
    tag: 'Wallet',
    summary: 'List the packages of credits',
    auth: 'none',
    ...answersStatus(z.array(creditPackage)),
  },
  async ({ options: { readers } }) => ({
    status: 'success',
    data: await readers.readCustomer(findPackages),
  }),
);

function createTopup({ payment: provider }: PaymentOptions): Endpoint {
  return endpoint(
    {
      method: 'post',
      path: '/wallet/topup',
      tag: 'Wallet',
      summary: 'Buy credits',
      auth: 'token',
      headers: idempotencyHeader,
      body: z.strictObject({ package_slug: z.string().min(1, { error }).max(100, { error }) }),
      ...answersStatus(checkout),
    },
    // The payment is stored before its checkout is opened, since no transaction may wait for the provider. A retry with
    // the same `Idempotency-Key` opens a checkout of the same payment, even while the first request waits.
    async ({ body, caller: { account_id }, request, response, options }) => {
      const key = readIdempotencyKey(request);
      const { db, now } = options;
      if (!provider) throw switchedOff('Top-ups are');
      const created_at = now();
      const operation = { account_id, name: 'topup', key, request: body, now: created_at };
      const payment = { account_id, ...body, provider: provider.name, created_at };
      const recorded = await answerOnce(db, operation, (tx) => recordPayment(tx, payment));
      const data = await openCheckout(options, provider, operation, recorded.body.payment_id);
      response.set(recorded.headers ?? {});
      return { status: 'success', data };
    },
  );
}

/** Returns the endpoints that list the credit packages and open a checkout. */
export function topupEndpoints(options: PaymentOptions): Endpoint[] {
  return [packages, createTopup(options)];
}
