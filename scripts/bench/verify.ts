// Measures authentication under load, and other requests while passwords are hashed.
import { setTimeout as delay } from 'node:timers/promises';
import type autocannon from 'autocannon';
import { compare, load, requestOf, requestsPerConnection } from './load.ts';
import { judge } from './judge.ts';
import type { Setting } from './setting.ts';

const recovery_s = 9;
/** The least rate of the API, relative to the rate of the bare server. */
const leastShare = 0.5;
const parallelRecoveries = 20;
/** The connections that read wallets during the recoveries. */
const disturbedConnections = 10;
const longestWait_ms = 100;

/** Returns requests to recover accounts, each from its own address; half of the e-mail addresses exist. */
function requestRecoveries(emails: string[]): autocannon.Request[] {
  return Array.from({ length: parallelRecoveries * requestsPerConnection }, (_, at) => ({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `10.0.${at >> 8}.${at & 255}`,
    },
    body: JSON.stringify({
      email: at % 2 === 0 ? emails[at % emails.length] : `nobody${at}@firma.pl`,
      password: `chosen ${at}`,
    }),
  }));
}

async function disturb(api: string, emails: string[], tokens: string[]): Promise<void> {
  const url = `${api}/api/v1/wallet`;
  const requests = tokens.map((token) => requestOf('GET', token));
  await load(url, requests, 1);
  const recovering = load(`${api}/api/v1/auth/recover`, requestRecoveries(emails), recovery_s);
  await delay(500);
  const { latency, requests: rate } = await load(url, requests, recovery_s - 1);
  const { total: count } = (await recovering).requests;
  judge(
    `GET /wallet beside ${parallelRecoveries} parallel recoveries`,
    `p99 ${latency.p99} ms at ${rate.average.toFixed(0)} requests/s, ${count} recoveries`,
    `below ${longestWait_ms} ms`,
    latency.p99 < longestWait_ms && count > parallelRecoveries,
  );
}

export async function benchVerify(setting: Setting): Promise<void> {
  const { kysely, tokens, startApi, startBare } = setting;
  const accounts = await kysely.selectFrom('customer.account').select('email').execute();
  const emails = accounts.map(({ email }) => email);
  const [api, bare] = [await startApi(), await startBare()];
  const requests = tokens.map((token) => requestOf('POST', token));
  const urls = { api: `${api}/api/v1/tokens/verify`, bare };
  await compare('POST /tokens/verify', urls, requests, leastShare);
  await disturb(api, emails, tokens.slice(0, disturbedConnections * requestsPerConnection));
}
