import type { Context } from '../http/context.ts';
import type { Payment } from './stored-payment.ts';
import { createStripePayment, type StripeSettings } from './stripe.ts';

/** A payment provider; its `openCheckout` opens a page on which a buyer pays, or throws an `HttpError`. */
export type PaymentProvider = ReturnType<typeof createLocalPayment | typeof createStripePayment>;

export interface PaymentOptions extends Context {
  /** The payment provider; undefined: no credits can be bought. */
  payment: PaymentProvider | undefined;
}

/** Returns a payment provider for development, whose checkout is a page of this service that takes no money. */
export function createLocalPayment(baseUrl: string) {
  return {
    name: 'local' as const,
    /** Returns the provider's id of the checkout, and the address that the buyer opens to pay. */
    openCheckout({ payment_id }: Payment) {
      const checkout_url = `${baseUrl}/checkout/local/${payment_id}`;
      return Promise.resolve({ provider_ref: payment_id, checkout_url });
    },
  };
}

/**
 * Returns the payment provider that the settings select; undefined without PAYMENT_PROVIDER. Throws an
 * `EnvironmentError` with a sentence about each wrong or missing setting. After a checkout, buyers return to `baseUrl`.
 */
export function createPayment(
  settings: StripeSettings & { PAYMENT_PROVIDER?: 'local' | 'stripe' | undefined },
  baseUrl: string,
): PaymentProvider | undefined {
  if (settings.PAYMENT_PROVIDER === 'stripe') return createStripePayment(settings, baseUrl);
  return settings.PAYMENT_PROVIDER === 'local' ? createLocalPayment(baseUrl) : undefined;
}

/** Returns a price as text with the decimals of its currency (`49.00`); `price` is in the smallest unit (4900). */
export function priceOf(price: number | string, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 0;
  return (Number(price) / 10 ** decimals).toFixed(decimals);
}
