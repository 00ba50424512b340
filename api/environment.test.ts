import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../sql/process/environment.ts';
import { bounds } from './figures/account-limits.ts';
import { readEnvironment, shape } from './environment.ts';

const SECRET_KEY = 'a key of at least 32 characters, for tests';

describe('readEnvironment', () => {
  test('has a default for everything', () => {
    const defaults = {
      ...bounds,
      HOST: '127.0.0.1',
      PORT: 8080,
      metricsAddress: undefined,
      DATABASE_READ_URL: [],
      DATABASE_READ_LAG_SECONDS: 10,
      DATABASE_SESSIONS: 10,
      DATABASE_NAMED_STATEMENTS: true,
      DATA_DIR: '.data',
      TRUST_PROXY: false,
      CORS_ORIGINS: [],
      REGISTRATION_OPEN: true,
      WEBHOOK_ALLOW_PRIVATE: false,
      SAMPLE_DATA: false,
      FREE_MAIL_DOMAINS: [],
      SEARCH_CREDITS: 1,
      SNAPSHOT_CREDITS: 5,
      SUPPRESS_BELOW: 0,
      isPrivate: true,
      LOG_LEVEL: 'info',
    };
    expect(readEnvironment({})).toEqual(defaults);
    const empty = Object.keys(shape).map((name) => [name, ''] as const);
    expect(readEnvironment(Object.fromEntries(empty))).toEqual(defaults);
  });

  test('reads what is set', () => {
    expect(
      readEnvironment({
        HOST: '0.0.0.0',
        PORT: '0',
        DATABASE_URL: 'postgresql:///registry?host=/run/postgresql',
        DATABASE_READ_URL: 'postgresql://one/registry, postgresql://two/registry',
        DATABASE_READ_LAG_SECONDS: '60',
        DATABASE_SESSIONS: '20',
        DATABASE_NAMED_STATEMENTS: 'false',
        DATA_DIR: '/var/lib/registry',
        TRUST_PROXY: '2',
        SECRET_KEY,
        BASE_URL: 'https://api.registry.example/v//',
        CORS_ORIGINS: 'https://app.example.com, http://localhost:3000',
        REGISTRATION_OPEN: 'false',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        FREE_MAIL_DOMAINS: 'Poczta.example, żółw.pl',
        SEARCH_CREDITS: '0',
        SNAPSHOT_CREDITS: '12',
        SUPPRESS_BELOW: '3',
        WATCHES_PER_ACCOUNT: '999999999',
        SEARCHES_IN_FLIGHT: '1',
        PAYMENT_PROVIDER: 'stripe',
        STRIPE_SECRET_KEY: 'sk_live_1',
        STRIPE_WEBHOOK_SECRET: 'whsec_1',
        STRIPE_API_URL: 'http://127.0.0.1:12111',
        LOG_LEVEL: 'silent',
        SAMPLE_DATA: 'true',
      }),
    ).toEqual({
      ...bounds,
      HOST: '0.0.0.0',
      PORT: 0,
      DATABASE_URL: 'postgresql:///registry?host=/run/postgresql',
      DATABASE_READ_URL: ['postgresql://one/registry', 'postgresql://two/registry'],
      DATABASE_READ_LAG_SECONDS: 60,
      DATABASE_SESSIONS: 20,
      DATABASE_NAMED_STATEMENTS: false,
      DATA_DIR: '/var/lib/registry',
      TRUST_PROXY: 2,
      SECRET_KEY,
      BASE_URL: 'https://api.registry.example/v',
      CORS_ORIGINS: ['https://app.example.com', 'http://localhost:3000'],
      REGISTRATION_OPEN: false,
      WEBHOOK_ALLOW_PRIVATE: true,
      SAMPLE_DATA: true,
      FREE_MAIL_DOMAINS: ['poczta.example', 'xn--w-uga1v8h.pl'],
      SEARCH_CREDITS: 0,
      SNAPSHOT_CREDITS: 12,
      SUPPRESS_BELOW: 3,
      WATCHES_PER_ACCOUNT: 999_999_999,
      SEARCHES_IN_FLIGHT: 1,
      PAYMENT_PROVIDER: 'stripe',
      STRIPE_SECRET_KEY: 'sk_live_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_API_URL: 'http://127.0.0.1:12111',
      isPrivate: false,
      LOG_LEVEL: 'silent',
    });
  });

  test.each([
    ['0', false],
    ['16', 16],
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, 2001:db8::/32,loopback', ['10.0.0.0/8', '2001:db8::/32', 'loopback']],
  ])('trusts the proxies %s', (TRUST_PROXY, trusted) => {
    expect(readEnvironment({ TRUST_PROXY }).TRUST_PROXY).toEqual(trusted);
  });

  test.each(
    Object.entries({
      HOST: ['10.0.0.1/8', 'http://localhost'],
      PORT: ['65536', '80a', '-1', '8080.5'],
      DATABASE_URL: ['mysql://user:secret@host/name', 'localhost'],
      TRUST_PROXY: [
        'true',
        '17',
        '-1',
        '0.0.0.0/0',
        '::/0',
        '10.0.0.0/33',
        '10.0.0.0/8,',
        '10.0.0.0/8/8',
        'example.com',
      ],
      LOG_LEVEL: ['verbose'],
      SECRET_KEY: ['secret', 'secret'.padEnd(31, '-')],
      BASE_URL: [
        'api.registry.example',
        'ftp://api.registry.example',
        'https://user:secret@api.registry.example',
        'https://api.registry.example/?a=1',
        'https://api.registry.example/#a',
      ],
      CORS_ORIGINS: ['app.example.com', '*', 'https://app.example.com/'],
      REGISTRATION_OPEN: ['yes'],
      FREE_MAIL_DOMAINS: ['poczta.example,not a domain'],
      SEARCH_CREDITS: ['-1', 'free'],
      SNAPSHOT_CREDITS: ['2.5', '1000000000'],
      SUPPRESS_BELOW: ['-1', '1000'],
      PAYMENT_PROVIDER: ['cash'],
    }),
  )('refuses each wrong %s in a sentence that names it', (name, values) => {
    for (const value of values) {
      const read = (): unknown => readEnvironment({ [name]: value });
      expect(read).toThrow(EnvironmentError);
      expect(read).toThrow(new RegExp(`^${name} must (be|have) [^\\n]+\\.$`));
      expect(read).not.toThrow(/secret/);
    }
  });

  test.each([
    { HOST: '0.0.0.0' },
    { HOST: '192.0.2.1' },
    { HOST: '::' },
    { BASE_URL: 'https://api.registry.example' },
    { TRUST_PROXY: '1' },
  ])('refuses the local payment provider where others reach the API: %j', (open) => {
    expect(() => readEnvironment({ PAYMENT_PROVIDER: 'local', ...open })).toThrow(
      /^PAYMENT_PROVIDER must be stripe where HOST, BASE_URL or TRUST_PROXY .+\.$/,
    );
    expect(readEnvironment(open)).toMatchObject({ isPrivate: false });
  });

  test.each([
    {},
    { HOST: '127.0.0.2' },
    { HOST: '::1' },
    { HOST: 'localhost', BASE_URL: 'http://[::1]:8080' },
  ])('allows the local payment provider on an address of this machine: %j', (own) => {
    const environment = readEnvironment({ PAYMENT_PROVIDER: 'local', ...own });
    expect(environment.isPrivate).toBe(true);
    expect(environment.PAYMENT_PROVIDER).toBe('local');
  });

  test.each([
    { SMTP_URL: 'smtp://mail.example' },
    {
      PAYMENT_PROVIDER: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
    },
  ])('asks for BASE_URL where mails or checkouts lead back to it: %j', (links) => {
    expect(() => readEnvironment(links)).toThrow(/^BASE_URL must be set where SMTP_URL or .+\.$/);
    const BASE_URL = 'https://api.registry.example';
    const environment = readEnvironment({ ...links, BASE_URL });
    expect(environment.BASE_URL).toBe(BASE_URL);
    expect(environment.PAYMENT_PROVIDER).toBe(links.PAYMENT_PROVIDER);
  });

  test('names what Stripe lacks', () => {
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

  test('reads the privacy notice, and says when the file cannot be read', () => {
    const PRIVACY_FILE = fileURLToPath(import.meta.url);
    expect(readEnvironment({ PRIVACY_FILE }).PRIVACY_FILE?.en).toContain(
      'reads the privacy notice',
    );
    expect(() => readEnvironment({ PRIVACY_FILE: '/nowhere/privacy.md' })).toThrow(
      /^PRIVACY_FILE must be the path of a file .+\.$/,
    );
  });

  test('reads the Polish terms from the file beside, and the same text where there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-terms-'));
    const TERMS_FILE = join(folder, 'terms.md');
    await writeFile(TERMS_FILE, 'One');
    expect(readEnvironment({ TERMS_FILE }).TERMS_FILE).toEqual({ en: 'One', pl: 'One' });
    await writeFile(join(folder, 'terms.pl.md'), 'Jeden');
    expect(readEnvironment({ TERMS_FILE }).TERMS_FILE).toEqual({ en: 'One', pl: 'Jeden' });
    await rm(folder, { recursive: true });
  });

  test('takes a mail address or a page for the contact', () => {
    for (const CONTACT of ['help@registry.example', 'https://registry.example/contact']) {
      expect(readEnvironment({ CONTACT }).CONTACT).toBe(CONTACT);
    }
    for (const CONTACT of ['help', 'javascript:alert(1)']) {
      expect(() => readEnvironment({ CONTACT })).toThrow(/^CONTACT must be a mail address, .+\.$/);
    }
  });

  test('names every wrong variable once', () => {
    const wrong = { PORT: 'x', LOG_LEVEL: 'y', TRUST_PROXY: 'true' };
    expect(() => readEnvironment(wrong)).toThrow(
      /^LOG_LEVEL must be .+\.\nPORT must be .+\.\nTRUST_PROXY must be .+\.$/,
    );
  });
});
