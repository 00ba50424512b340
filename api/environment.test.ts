import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../sql/environment.ts';
import { readEnvironment } from './environment.ts';

const secretKey = 'a key of at least 32 characters, for tests';

describe('readEnvironment', () => {
  it('has a default for everything', () => {
    const defaults = {
      port: 8080,
      databaseUrl: undefined,
      dataDir: '.data',
      trustProxy: false,
      secretKey: undefined,
      baseUrl: undefined,
      isRegistrationOpen: true,
      searchCredits: 1,
      snapshotCredits: 5,
      payment: {
        provider: 'local',
        isProduction: false,
        stripeSecretKey: undefined,
        stripeWebhookSecret: undefined,
        stripeApiUrl: undefined,
      },
      logLevel: 'info',
    };
    expect(readEnvironment({})).toEqual(defaults);
    const names = ['PORT', 'DATABASE_URL', 'DATA_DIR', 'TRUST_PROXY', 'LOG_LEVEL', 'SECRET_KEY'];
    names.push(
      'BASE_URL',
      'REGISTRATION_OPEN',
      'PAYMENT_PROVIDER',
      'STRIPE_SECRET_KEY',
      'NODE_ENV',
    );
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(readEnvironment(empty)).toEqual(defaults);
  });

  it('reads what is set', () => {
    expect(
      readEnvironment({
        PORT: '0',
        DATABASE_URL: 'postgresql:///registry?host=/run/postgresql',
        DATA_DIR: '/var/lib/registry',
        TRUST_PROXY: '2',
        SECRET_KEY: secretKey,
        BASE_URL: 'https://api.registry.example/v//',
        REGISTRATION_OPEN: 'false',
        SEARCH_CREDITS: '0',
        SNAPSHOT_CREDITS: '12',
        PAYMENT_PROVIDER: 'stripe',
        STRIPE_SECRET_KEY: 'sk_live_1',
        STRIPE_WEBHOOK_SECRET: 'whsec_1',
        STRIPE_API_URL: 'http://127.0.0.1:12111',
        NODE_ENV: 'production',
        LOG_LEVEL: 'silent',
      }),
    ).toEqual({
      port: 0,
      databaseUrl: 'postgresql:///registry?host=/run/postgresql',
      dataDir: '/var/lib/registry',
      trustProxy: 2,
      secretKey,
      baseUrl: 'https://api.registry.example/v',
      isRegistrationOpen: false,
      searchCredits: 0,
      snapshotCredits: 12,
      payment: {
        provider: 'stripe',
        isProduction: true,
        stripeSecretKey: 'sk_live_1',
        stripeWebhookSecret: 'whsec_1',
        stripeApiUrl: 'http://127.0.0.1:12111',
      },
      logLevel: 'silent',
    });
  });

  it.each([
    ['0', false],
    ['16', 16],
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, 2001:db8::/32,loopback', ['10.0.0.0/8', '2001:db8::/32', 'loopback']],
  ])('trusts the proxies %s', (TRUST_PROXY, trustProxy) => {
    expect(readEnvironment({ TRUST_PROXY }).trustProxy).toEqual(trustProxy);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '-1'],
    ['PORT', '8080.5'],
    ['DATABASE_URL', 'mysql://user:secret@host/name'],
    ['DATABASE_URL', 'localhost'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '17'],
    ['TRUST_PROXY', '-1'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/8,'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['TRUST_PROXY', 'example.com'],
    ['LOG_LEVEL', 'verbose'],
    ['SECRET_KEY', 'secret'],
    ['SECRET_KEY', 'secret'.padEnd(31, '-')],
    ['BASE_URL', 'api.registry.example'],
    ['BASE_URL', 'ftp://api.registry.example'],
    ['BASE_URL', 'https://user:secret@api.registry.example'],
    ['BASE_URL', 'https://api.registry.example/?a=1'],
    ['BASE_URL', 'https://api.registry.example/#a'],
    ['REGISTRATION_OPEN', 'yes'],
    ['SEARCH_CREDITS', '-1'],
    ['SEARCH_CREDITS', 'free'],
    ['SNAPSHOT_CREDITS', '2.5'],
    ['SNAPSHOT_CREDITS', '1000000000'],
    ['PAYMENT_PROVIDER', 'cash'],
  ])('refuses %s=%s in a sentence that names it', (name, value) => {
    const read = (): unknown => readEnvironment({ [name]: value });
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(new RegExp(`^${name} must (be|have) [^\\n]+\\.$`));
    expect(read).not.toThrow(/secret/);
  });

  it('refuses the local payment provider in production', () => {
    expect(() => readEnvironment({ NODE_ENV: 'production' })).toThrow(
      /^PAYMENT_PROVIDER must be stripe where NODE_ENV is production: .+\.$/,
    );
    expect(readEnvironment({ NODE_ENV: 'development' }).payment.provider).toBe('local');
  });

  it('names what Stripe lacks', () => {
    const PAYMENT_PROVIDER = 'stripe';
    expect(() => readEnvironment({ PAYMENT_PROVIDER })).toThrow(
      /^STRIPE_SECRET_KEY must be .+\.\nSTRIPE_WEBHOOK_SECRET must be .+\.$/,
    );
    const secrets = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
    const STRIPE_API_URL = 'localhost';
    expect(() => readEnvironment({ PAYMENT_PROVIDER, ...secrets, STRIPE_API_URL })).toThrow(
      /^STRIPE_API_URL must be .+\.$/,
    );
  });

  it('names every wrong variable once', () => {
    const wrong = { PORT: 'x', LOG_LEVEL: 'y', TRUST_PROXY: 'true' };
    expect(() => readEnvironment(wrong)).toThrow(
      /^LOG_LEVEL must be .+\.\nPORT must be .+\.\nTRUST_PROXY must be .+\.$/,
    );
  });
});
