// Measures the answers that other clients get while one client floods the API with requests.
import autocannon from 'autocannon';
import { connectionCount, requestOf } from './load.ts';
import { judgeAtMost, print } from './judge.ts';
import { createTokens, type Setting, waitUntilLoaded } from './setting.ts';

const [tokenCount, duration, longestMedian_ms] = [10, 10, 100];
/** The number of other clients, and the number of requests per second that all other clients send together. */
const others = { connections: 4, overallRate: 40, ignoreCoordinatedOmission: true };

/** The settings of an API with payment by Stripe: only this API has the payment webhook that two floods call. */
const shop = {
  PAYMENT_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  BASE_URL: 'http://localhost',
};

/** Returns request number `at` of a flood, with a token of the flooding account. */
type Make = (token: string, at: number) => autocannon.Request;

/** Returns a POST request without a token; its header `X-Forwarded-For` states `address` as the client's address. */
function requestFrom(address: string, body: string, headers?: object): autocannon.Request {
  const common = { 'content-type': 'application/json', 'x-forwarded-for': address };
  return { method: 'POST', headers: { ...common, ...headers }, body };
}

/** Returns a request that adds 100 company numbers that no registry has. */
const addInvented: Make = (token, at) => {
  const numbers = Array.from({ length: 100 }, (_, place) => 8_000_000 + at * 100 + place);
  const identifier_value = numbers.map((number) => String(number).padStart(10, '0'));
  return requestOf('POST', token, { identifier_type: 'KRS', identifier_value });
};

const searchUnknown: Make = (token, at) => {
  return { ...requestOf('GET', token), path: `/api/v1/companies/search?name=nobody${at}` };
};

const recover: Make = (_, at) => {
  const body = { email: `nobody${at}@firma.pl`, password: `chosen ${at}` };
  return requestFrom(`10.0.${at >> 8}.${at & 255}`, JSON.stringify(body));
};

function sendWrongItems(count: number): Make {
  const body = { alert_event_classes: Array<string>(count).fill('') };
  return (token) => requestOf('PATCH', token, body);
}

/** Returns a function that makes forged payment webhooks from addresses in `network`, with a wrong signature. */
function forgeWebhook(bytes: number, network: string): Make {
  const body = ' '.repeat(bytes);
  return (_, at) => {
    const signature = `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`;
    return requestFrom(`${network}.${at % 4}`, body, { 'stripe-signature': signature });
  };
}

const read = (headers?: object): autocannon.Request => ({ method: 'GET', headers: { ...headers } });

/** The floods, each with the path that the flood requests, and the path that the other clients request meanwhile. */
const floods: [name: string, path: string, make: Make, ofOthers?: string][] = [
  ['Invented numbers', '/api/v1/companies/add', addInvented],
  ['Unknown names', '', searchUnknown, '/companies/search?voivodeship=opolskie'],
  ['Recoveries', '/api/v1/auth/recover', recover],
  ['Lists of 5,000 wrong items', '/api/v1/watchlist/alerts', sendWrongItems(5_000)],
  ['Lists of 48,000 wrong items', '/api/v1/watchlist/alerts', sendWrongItems(48_000)],
  ['Forged webhooks of 256 kB', '/api/v1/webhooks/stripe', forgeWebhook(262_144, '198.51.100')],
  ['Forged webhooks of 1 MB', '/api/v1/webhooks/stripe', forgeWebhook(1_000_000, '203.0.113')],
  ['Metrics, through a proxy', '/metrics', () => read({ 'x-forwarded-for': '192.0.2.1' })],
  ['Metrics, from this machine', '/metrics', () => read()],
];

/** Measures the answers to other clients during each flood, and compares their median time with the limit. */
export async function benchAbuse({ kysely, tokens, startApi }: Setting): Promise<void> {
  const api = await startApi(shop);
  await waitUntilLoaded(api);
  for (const [name, path, make, ofOthers = '/wallet'] of floods) {
    const own = await createTokens(kysely, tokenCount);
    let at = 0;
    const setupRequest = (request: autocannon.Request) => {
      at += 1;
      return { ...request, ...make(own.tokens[at % tokenCount]!, at) };
    };
    const requests = tokens.slice(0, 400).map((token) => requestOf('GET', token));
    const [flood, met] = await Promise.all([
      autocannon({
        url: api + path,
        duration,
        connections: connectionCount,
        requests: [{ setupRequest }],
      }),
      // The other clients run in a separate thread, so that sending the flood does not delay their measurements.
      autocannon({ url: `${api}/api/v1${ofOthers}`, duration, ...others, requests, workers: 1 }),
    ]);
    const outcomes = Object.entries(flood.statusCodeStats ?? {}).map(
      ([status, { count }]) => `${count} × ${status}`,
    );
    print(`  ${name}: the answers were ${outcomes.join(', ') || 'nothing'}`);
    judgeAtMost(`Median of GET ${ofOthers} of others`, met.latency.p50, longestMedian_ms, 'ms');
    judgeAtMost('Refused requests of others', met.non2xx + met.errors, 0, 'answers');
  }
}
