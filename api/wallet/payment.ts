import { EnvironmentError } from '../../sql/environment.ts';
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
  provider: 'local' | 'stripe';
  /** Whether NODE_ENV is `production`. */
  isProduction: boolean;
  /** Where the checkout leads back to, without a slash at the end. */
  baseUrl: string;
  stripeSecretKey?: string | undefined;
  stripeWebhookSecret?: string | undefined;
  /** Instead of Stripe's own address. */
  stripeApiUrl?: string | undefined;
}

/**
 * The provider that the settings choose. Throws an `EnvironmentError` with a sentence for each
 * setting that it lacks; none repeats a value.
 */
export function createPayment(settings: PaymentSettings): PaymentProvider {
  const { provider, isProduction, baseUrl } = settings;
  if (provider === 'stripe') return createStripePayment(settings);
  if (isProduction) {
    throw new EnvironmentError(
      'PAYMENT_PROVIDER must be stripe where NODE_ENV is production: at the local checkout anybody pays without money.',
    );
  }
  return createLocalPayment(baseUrl);
}
