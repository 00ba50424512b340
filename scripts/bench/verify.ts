// Measures authentication and snapshots under load, lookups, and other requests while passwords are hashed.
import { setTimeout as delay } from 'node:timers/promises';
import type autocannon from 'autocannon';
import type { Database } from '../../sql/connection/database.ts';
import {
  askInTurn,
  compare,
  judgeAnswers,
  load,
  requestOf,
  requestsPerConnection,
} from './load.ts';
import { judge } from './measurement.ts';
import type { Setting } from './setting.ts';

const recovery_s = 9;
/** The least rates of the API, relative to the rate of the bare server. */
const leastShares = { verify: 0.5, snapshot: 0.35 };
const parallelRecoveries = 20;
/** The connections that read wallets during the recoveries. */
const disturbedConnections = 10;
const longestWait_ms = 100;
/** The number of lookups (the first half is not measured), the numbers in each, and the longest median in ms. */
const [lookupCount, numberCount, longestLookup_ms] = [200, 100, 15];

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
  await compare('POST /tokens/verify', urls, requests, leastShares.verify);
  await disturb(api, emails, tokens.slice(0, disturbedConnections * requestsPerConnection));
}

/** Returns NIPs from all over the country, which the hash order picks, with repetitions in a small country. */
async function pickNips({ pool }: Database, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ nip: string }>(
    `select nip from analyst.company where nip is not null order by hashint8(company_id) limit $1`,
    [count],
  );
  return Array.from({ length: count }, (_, at) => rows[at % rows.length]!.nip);
}

const byNip = (identifier_value: string) => ({ identifier_type: 'NIP', identifier_value });

/** Measures snapshots under load, each read, charged and answered, against one indexed read. */
export async function benchSnapshot({ db, tokens, startApi, startBare }: Setting): Promise<void> {
  const nips = await pickNips(db, tokens.length);
  const requests = tokens.map((token, at) => requestOf('POST', token, byNip(nips[at]!)));
  const urls = { api: `${await startApi()}/api/v1/companies/snapshot`, bare: await startBare() };
  await compare('POST /companies/snapshot', urls, requests, leastShares.snapshot);
}

/** Measures lookups of 100 numbers of companies from all over the country, one after the other. */
export async function benchLookup({ db, tokens, startApi }: Setting): Promise<void> {
  const identifiers = (await pickNips(db, lookupCount * numberCount)).map(byNip);
  const bodies = Array.from({ length: lookupCount }, () => ({
    identifiers: identifiers.splice(0, numberCount),
  }));
  const paths = bodies.map(() => '/companies/lookup');
  const answers = await askInTurn(await startApi(), paths, tokens, bodies);
  const measured = answers.slice(lookupCount / 2);
  judgeAnswers(`Lookups of ${numberCount} numbers`, measured, { p50: longestLookup_ms });
}
