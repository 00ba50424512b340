import type { CheckoutProvider } from './payment.ts';

/** Checkouts on a local page, without a payment: for development. */
export interface LocalPayment extends CheckoutProvider {
  name: 'local';
}

export function createLocalPayment(baseUrl: string): LocalPayment {
  return {
    name: 'local',
    openCheckout: ({ payment_id }) =>
      Promise.resolve({
        provider_ref: payment_id,
        checkout_url: `${baseUrl}/checkout/local/${payment_id}`,
      }),
  };
}
