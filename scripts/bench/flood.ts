// Measures the harm that floods of requests do to other clients: lists of wrong items, long bodies, forged
// webhooks, and requests for the metrics.
import autocannon from 'autocannon';
import { connectionCount, createAsk, requestOf } from './load.ts';
import { meet } from './others.ts';
import { createTokens, type Setting, waitUntilLoaded } from './setting.ts';

const [tokenCount, addressCount, duration_s] = [10, 4, 10];

/** The settings of an API that takes payments by Stripe, and so has a webhook. */
const shop = {
  PAYMENT_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  BASE_URL: 'http://localhost',
};

const wrongList = (count: number) => ({ alert_event_classes: Array<string>(count).fill('') });

/** Returns webhooks of `bytes` bytes from addresses of a network, with a current time and a forged signature. */
function forge(bytes: number, network: string): autocannon.Request[] {
  const signed_s = Math.floor(Date.now() / 1000) + duration_s;
  return Array.from({ length: addressCount }, (_, at) => ({
    method: 'POST',
    path: '/api/v1/webhooks/stripe',
    headers: {
      'content-type': 'application/json',
      'stripe-signature': `t=${signed_s},v1=${'0'.repeat(64)}`,
      'x-forwarded-for': `${network}.${at}`,
    },
    body: ' '.repeat(bytes),
  }));
}

/** Sends requests over many connections, from a separate thread. Returns the status of each answer. */
async function flood(url: string, requests: autocannon.Request[]) {
  const options = { url, requests, connections: connectionCount, duration: duration_s, workers: 1 };
  const { statusCodeStats = {} } = await autocannon(options);
  return Object.entries(statusCodeStats).flatMap(([status, { count = 0 }]) =>
    Array.from({ length: count }, () => ({ status: Number(status) })),
  );
}

export async function benchFloods({ kysely, tokens, startApi }: Setting): Promise<void> {
  const api = await startApi(shop);
  await waitUntilLoaded(api);
  const ask = createAsk(api);
  const patch = async (body: object) => {
    const own = await createTokens(kysely, tokenCount);
    const path = '/api/v1/watchlist/alerts';
    return own.tokens.map((token) => ({ ...requestOf('PATCH', token, body), path }));
  };
  const floods: Record<string, autocannon.Request[]> = {
    'Lists of 5,000 wrong items': await patch(wrongList(5_000)),
    'Lists of 48,000 wrong items': await patch(wrongList(48_000)),
    'Forged webhooks of 256 kB': forge(262_144, '198.51.100'),
    'Forged webhooks of 1 MB': forge(1_000_000, '203.0.113'),
    'Metrics, through a proxy': [{ path: '/metrics', headers: { 'x-forwarded-for': '192.0.2.1' } }],
    'Metrics, from this machine': [{ path: '/metrics' }],
  };
  for (const [name, requests] of Object.entries(floods)) {
    await meet(name, ask, tokens, '/wallet', flood(api, requests));
  }
}
