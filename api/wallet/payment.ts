import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { createStripePayment } from './stripe.ts';

/** A payment with the name of its package; `price` is in the smallest unit of the currency. */
export type Payment = Awaited<
  ReturnType<ReturnType<typeof selectPayment>['executeTakeFirstOrThrow']>
>;

/** Opens hosted checkouts, one for each payment. Throws an `HttpError` when the provider fails. */
export type PaymentProvider = ReturnType<typeof createLocalPayment | typeof createStripePayment>;

export interface PaymentOptions extends Context {
  /** Undefined: nothing can be bought. */
  payment: PaymentProvider | undefined;
}

export interface PaymentSettings {
  /** Undefined: nothing can be bought. */
  provider: 'local' | 'stripe' | undefined;
  /** The address to which the checkout leads back, without a slash at the end. */
  baseUrl: string;
  stripeSecretKey?: string | undefined;
  stripeWebhookSecret?: string | undefined;
  /** Instead of Stripe's own address. */
  stripeApiUrl?: string | undefined;
}

/** Checkouts on a local page, without a payment: for development. */
export function createLocalPayment(baseUrl: string) {
  return {
    name: 'local' as const,
    /** Returns the id of the checkout at the provider, and the address that the buyer opens. */
    openCheckout({ payment_id }: Payment) {
      const checkout_url = `${baseUrl}/checkout/local/${payment_id}`;
      return Promise.resolve({ provider_ref: payment_id, checkout_url });
    },
  };
}

/** The provider of the settings. Throws an `EnvironmentError` with a sentence for each missing setting. */
export function createPayment(settings: PaymentSettings): PaymentProvider | undefined {
  if (settings.provider === 'stripe') return createStripePayment(settings);
  return settings.provider === 'local' ? createLocalPayment(settings.baseUrl) : undefined;
}

export function selectPayment(db: Db, payment_id: string) {
  return db
    .selectFrom('customer.payment as payment')
    .innerJoin('customer.credit_package as offer', 'offer.package_slug', 'payment.package_slug')
    .selectAll('payment')
    .select('offer.name as package_name')
    .where('payment_id', '=', payment_id);
}

/** A price such as `49.00` for 4900 of the smallest unit of `pln`, with the decimals of ISO 4217. */
export function priceOf(price: number | string, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 0;
  return (Number(price) / 10 ** decimals).toFixed(decimals);
}
