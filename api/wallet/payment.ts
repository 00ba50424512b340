import { createLocalPayment, type LocalPayment } from './local.ts';
import { createStripePayment, type StripePayment } from './stripe.ts';

/** What is to be paid. */
export interface Order {
  payment_id: string;
  package_name: string;
  credits: number;
  /** In the smallest unit of the currency. */
  price: number;
  /** ISO 4217, in lower case. */
  currency: string;
}

/** Where an order can be paid. */
export interface Checkout {
  /** By which the provider knows it. */
  provider_ref: string;
  /** To be opened in a browser. */
  checkout_url: string;
}

/**
 * Opens hosted checkouts. For an order with the `payment_id` of an earlier one it gives that one's
 * checkout. Throws an `HttpError` when the provider fails.
 */
export interface CheckoutProvider {
  openCheckout(order: Order): Promise<Checkout>;
}

export type PaymentProvider = LocalPayment | StripePayment;

export interface PaymentSettings {
  /** Undefined: nothing can be bought. */
  provider: 'local' | 'stripe' | undefined;
  /** Where the checkout leads back to, without a slash at the end. */
  baseUrl: string;
  stripeSecretKey?: string | undefined;
  stripeWebhookSecret?: string | undefined;
  /** Instead of Stripe's own address. */
  stripeApiUrl?: string | undefined;
}

/**
 * The provider that the settings choose, if they choose one. Throws an `EnvironmentError` with a sentence for each
 * setting that it lacks; none repeats a value.
 */
export function createPayment(settings: PaymentSettings): PaymentProvider | undefined {
  if (settings.provider === 'stripe') return createStripePayment(settings);
  return settings.provider === 'local' ? createLocalPayment(settings.baseUrl) : undefined;
}
