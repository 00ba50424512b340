import { randomUUID } from 'node:crypto';
import type { Db } from '../../sql/kysely.ts';
import type { AppOptions } from '../app.ts';
import { invalid } from '../http/errors.ts';
import { answerOnce, forgetAnswer, type Answer, type Operation } from './idempotency.ts';
import { selectPayment, type PaymentProvider } from './payment.ts';

type TopupOptions = Pick<AppOptions, 'db' | 'logger' | 'now'> & { payment: PaymentProvider };

interface TopupRequest {
  account_id: string;
  package_slug: string;
  /** The `Idempotency-Key` of the request. */
  key: string | undefined;
}

interface Topup {
  checkout_url: string;
  /** Its slug. */
  package: string;
  credits: number;
}

const unknownPackage = 'The package_slug field must be the slug of a package that is offered.';

/**
 * Records a payment, then opens a checkout for it: two steps, since no transaction may wait for the
 * provider. An `Idempotency-Key` stands for the payment. A retry with the key, even while the provider
 * is working, asks the provider for the checkout of the same payment.
 *
 * Throws the 422 of an unknown package, or the 502 or 503 of a provider that fails; the payment is
 * then `failed`, and the key is free again.
 */
export async function openTopup(
  options: TopupOptions,
  { account_id, package_slug, key }: TopupRequest,
): Promise<Answer<Topup>> {
  const { db, now, payment: provider } = options;
  const created_at = now();
  const request = { package_slug };
  const operation = { account_id, name: 'topup', key, request, now: created_at };
  const payment = { account_id, package_slug, provider: provider.name, created_at };
  const { body, headers = {} } = await answerOnce(db, operation, async (tx) => {
    const offer = await tx
      .selectFrom('customer.credit_package')
      .select(['credits', 'price', 'currency'])
      .where('package_slug', '=', package_slug)
      .where('is_offered', '=', true)
      .executeTakeFirst();
    if (!offer) throw invalid([['package_slug', unknownPackage]]);
    const payment_id = randomUUID();
    await tx
      .insertInto('customer.payment')
      .values({ payment_id, ...payment, ...offer, state: 'open' })
      .execute();
    return { body: { payment_id } };
  });
  return { body: await openCheckout(options, operation, body.payment_id), headers };
}

async function openCheckout(
  { db, logger, now, payment: provider }: TopupOptions,
  operation: Operation,
  payment_id: string,
): Promise<Topup> {
  const payment = await selectPayment(db, payment_id).executeTakeFirstOrThrow();
  const credits = Number(payment.credits);
  const topup = { package: payment.package_slug, credits };
  if (payment.checkout_url) return { checkout_url: payment.checkout_url, ...topup };

  const { package_name, currency } = payment;
  const order = { payment_id, package_name, credits, price: Number(payment.price), currency };
  const checkout = await provider.openCheckout(order).catch(async (fault: Error) => {
    const { message: reason } = fault.cause instanceof Error ? fault.cause : fault;
    logger.error({ payment_id, reason }, 'No checkout could be opened');
    await failPayment(db, operation, { payment_id, reason, now: now() });
    throw fault;
  });
  await db
    .updateTable('customer.payment')
    .set({ ...checkout, state: 'open', refusal: null, ended_at: null })
    .where('payment_id', '=', payment_id)
    // The payment may be paid before this answer of the provider arrives, or another request with
    // the same key may have failed.
    .where('state', 'in', ['open', 'failed'])
    .execute();
  return { checkout_url: checkout.checkout_url, ...topup };
}

async function failPayment(
  db: Db,
  operation: Operation,
  { payment_id, reason, now }: { payment_id: string; reason: string; now: Date },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const failed = await tx
      .updateTable('customer.payment')
      .set({ state: 'failed', refusal: reason, ended_at: now })
      .where('payment_id', '=', payment_id)
      .where('state', '=', 'open')
      .where('provider_ref', 'is', null)
      .executeTakeFirst();
    // Otherwise the key stands for a checkout that another request has opened.
    if (failed.numUpdatedRows > 0n) await forgetAnswer(tx, operation);
  });
}
