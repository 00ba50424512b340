import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../sql/process/environment.ts';
import { createPayment, type PaymentSettings, priceOf } from './payment.ts';

const local: PaymentSettings = {
  provider: 'local',
  baseUrl: 'http://localhost:8080',
};

const stripe: PaymentSettings = {
  ...local,
  provider: 'stripe',
  stripeSecretKey: 'sk_live_secret',
  stripeWebhookSecret: 'whsec_secret',
};

describe('createPayment', () => {
  test('chooses the provider', () => {
    expect(createPayment(local)?.name).toBe('local');
    expect(createPayment(stripe)?.name).toBe('stripe');
  });

  test('chooses none where no provider is named', () => {
    expect(createPayment({ ...stripe, provider: undefined })).toBeUndefined();
  });

  test.each([
    ['STRIPE_SECRET_KEY', { stripeSecretKey: undefined }],
    ['STRIPE_SECRET_KEY', { stripeSecretKey: 'pk_live_secret' }],
    ['STRIPE_WEBHOOK_SECRET', { stripeWebhookSecret: undefined }],
    ['STRIPE_WEBHOOK_SECRET', { stripeWebhookSecret: 'we_secret' }],
    ['STRIPE_API_URL', { stripeApiUrl: 'localhost:9' }],
    ['STRIPE_API_URL', { stripeApiUrl: 'ftp://localhost' }],
    ['STRIPE_API_URL', { stripeApiUrl: 'http://localhost/path' }],
    ['STRIPE_API_URL', { stripeApiUrl: 'nowhere' }],
  ])('refuses stripe with a wrong %s in a sentence: %j', (name, wrong) => {
    const create = () => createPayment({ ...stripe, ...wrong });
    expect(create).toThrow(EnvironmentError);
    expect(create).toThrow(new RegExp(`^${name} must be [^\\n]+\\.$`));
    expect(create).not.toThrow(/secret['"]|_secret/);
  });

  test('names everything that stripe lacks', () => {
    expect(() => createPayment({ ...local, provider: 'stripe' })).toThrow(
      /^STRIPE_SECRET_KEY must be .+\.\nSTRIPE_WEBHOOK_SECRET must be .+\.$/,
    );
  });
});

describe('priceOf', () => {
  test.each([
    [4900, 'pln', '49.00'],
    ['299900', 'pln', '2999.00'],
    [5, 'eur', '0.05'],
    [500, 'jpy', '500'],
    [1234, 'kwd', '1.234'],
  ])('%s of the smallest unit of %s is %s', (price, currency, text) => {
    expect(priceOf(price, currency)).toBe(text);
  });
});
