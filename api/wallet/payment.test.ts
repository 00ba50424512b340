import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../sql/process/environment.ts';
import { createPayment, priceOf } from './payment.ts';

const settings = {
  PAYMENT_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_secret',
  STRIPE_WEBHOOK_SECRET: 'whsec_secret',
} as const;

describe('createPayment', () => {
  test.each(['local', 'stripe', undefined] as const)('chooses the provider: %s', (name) => {
    expect(createPayment({ ...settings, PAYMENT_PROVIDER: name }, '')?.name).toBe(name);
  });

  test.each([
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: undefined }],
    ['STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: 'pk_live_secret' }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: undefined }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: 'we_secret' }],
    ['STRIPE_API_URL', { STRIPE_API_URL: 'localhost:9' }],
    ['STRIPE_API_URL', { STRIPE_API_URL: 'ftp://localhost' }],
    ['STRIPE_API_URL', { STRIPE_API_URL: 'http://localhost/path' }],
    ['STRIPE_API_URL', { STRIPE_API_URL: 'nowhere' }],
  ])('refuses stripe with a wrong %s in a sentence: %j', (name, wrong) => {
    const create = () => createPayment({ ...settings, ...wrong }, '');
    expect(create).toThrow(EnvironmentError);
    expect(create).toThrow(new RegExp(`^${name} must be [^\\n]+\\.$`));
    expect(create).not.toThrow(/secret['"]|_secret/);
  });
});

test.each([
  [4900, 'pln', '49.00'],
  ['299900', 'pln', '2999.00'],
  [5, 'eur', '0.05'],
  [500, 'jpy', '500'],
  [1234, 'kwd', '1.234'],
])('%s of the smallest unit of %s is %s', (price, currency, text) => {
  expect(priceOf(price, currency)).toBe(text);
});
