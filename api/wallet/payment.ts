import type { Context } from '../http/context.ts';
import type { Payment } from './purchase.ts';
import { createStripePayment, type StripeSettings } from './stripe.ts';

/** Opens hosted checkouts, one for each payment. Throws an `HttpError` when the provider fails. */
export type PaymentProvider = ReturnType<typeof createLocalPayment | typeof createStripePayment>;

export interface PaymentOptions extends Context {
  /** Undefined: nothing can be bought. */
  payment: PaymentProvider | undefined;
}

export interface PaymentSettings extends StripeSettings {
  /** Undefined: nothing can be bought. */
  provider: 'local' | 'stripe' | undefined;
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

/** A price such as `49.00` for 4900 of the smallest unit of `pln`, with the decimals of ISO 4217. */
export function priceOf(price: number | string, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 0;
  return (Number(price) / 10 ** decimals).toFixed(decimals);
}
