import { createRequire } from 'node:module';
import type * as sdk from 'stripe';
import { z } from 'zod';
import { checkEnvironment, setting } from '../../sql/process/environment.ts';
import { lifetimes } from '../figures/lifetimes.ts';
import { patience } from '../figures/timeouts.ts';
import { HttpError, unavailable } from '../http/errors.ts';
import type { Payment } from './stored-payment.ts';

const require = createRequire(import.meta.url);

export type StripePayment = ReturnType<typeof createStripePayment>;

const apiUrl = z
  .url({ protocol: /^https?$/ })
  .transform((text) => new URL(text))
  .refine(({ pathname, search }) => pathname === '/' && search === '');

const shape = {
  STRIPE_SECRET_KEY: setting(
    'the secret key of a Stripe account, such as sk_test_…, where PAYMENT_PROVIDER is stripe',
    z.string().regex(/^[sr]k_\w+$/),
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    'the signing secret of the webhook, such as whsec_…, where PAYMENT_PROVIDER is stripe',
    z.string().regex(/^whsec_\S+$/),
  ),
  STRIPE_API_URL: setting('an http or https address without a path', apiUrl).optional(),
};

export type StripeSettings = { [Name in keyof typeof shape]?: string | undefined };

function addressOf(url: URL | undefined): sdk.Stripe.StripeConfig {
  if (!url) return {};
  const protocol = url.protocol === 'http:' ? 'http' : 'https';
  return { host: url.hostname, port: url.port || (protocol === 'http' ? 80 : 443), protocol };
}

/** Matches the types of temporary errors of Stripe, after which a client may retry. */
const passing = /^Stripe(API|Connection|Idempotency|RateLimit)Error$/;

// The error of the Stripe SDK, which contains no secret, becomes the `cause` for the log.
function fault(error: unknown): HttpError {
  const isPassing = passing.test((error as { type?: string }).type ?? '');
  const answer = isPassing
    ? unavailable('The payment provider does not answer; try again later.')
    : new HttpError(502, { message: 'The payment provider refused to open a checkout.' });
  answer.cause = error;
  return answer;
}

/** Returns the payment provider Stripe, with its checkouts: https://docs.stripe.com/api/checkout/sessions. */
export function createStripePayment(settings: StripeSettings, baseUrl: string) {
  const checked = checkEnvironment(shape, settings);
  // The Stripe SDK takes 18 MB of memory, so it is loaded only if Stripe is the payment provider.
  const Stripe = require('stripe') as typeof sdk.Stripe;
  const stripe = new Stripe(checked.STRIPE_SECRET_KEY, {
    ...addressOf(checked.STRIPE_API_URL),
    timeout: patience.stripe_ms,
    maxNetworkRetries: 1,
    telemetry: false,
  });

  async function openCheckout(payment: Payment) {
    const session = await stripe.checkout.sessions
      .create(describe(payment, baseUrl), { idempotencyKey: payment.payment_id })
      .catch((error: unknown) => {
        throw fault(error);
      });
    if (!session.url) throw fault(new Error(`Session ${session.id} has no address`));
    return { provider_ref: session.id, checkout_url: session.url };
  }

  /**
   * Parses the JSON of an event that Stripe sent to the webhook. Throws unless Stripe signed the bytes with our secret
   * within 300 seconds before `now`: https://docs.stripe.com/webhooks/signature.
   */
  function readEvent(payload: Uint8Array | undefined, signature: string, now: Date): unknown {
    const secret = checked.STRIPE_WEBHOOK_SECRET;
    const at = [lifetimes.stripeSignature_s, undefined, now.getTime()] as const;
    return stripe.webhooks.constructEvent(payload ?? '', signature, secret, ...at);
  }

  return { name: 'stripe' as const, openCheckout, readEvent };
}

// Returns the parameters of a checkout at Stripe. The price is from our database, so that none is stored at Stripe.
function describe(payment: Payment, baseUrl: string): sdk.Stripe.Checkout.SessionCreateParams {
  const { payment_id, package_name, credits, price, currency } = payment;
  return {
    mode: 'payment',
    client_reference_id: payment_id,
    metadata: { payment_id },
    payment_intent_data: { metadata: { payment_id } },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency,
          unit_amount: Number(price),
          product_data: { name: `${package_name}: ${credits} credits` },
        },
      },
    ],
    success_url: `${baseUrl}/checkout/success?payment_id=${payment_id}`,
    cancel_url: `${baseUrl}/checkout/cancel?payment_id=${payment_id}`,
  };
}
