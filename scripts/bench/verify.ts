// Measures authentication and snapshots under load, lookups, and other requests while passwords are hashed.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../sql/connection/database.ts';
import { askInTurn, compare, load, rank, requestOf, requestsPerConnection } from './load.ts';
import { judge, judgeAtMost } from './measurement.ts';
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

/** Requests recoveries of accounts in parallel for some seconds; half of the addresses exist. Returns the number of requests. */
async function recover(api: string, emails: string[], seconds: number): Promise<number> {
  const end_ms = performance.now() + seconds * 1000;
  let count = 0;
  const keepGoing = async () => {
    while (performance.now() < end_ms) {
      const at = (count += 1);
      const email = at % 2 === 0 ? emails[at % emails.length] : `nobody${at}@firma.pl`;
      const response = await fetch(`${api}/api/v1/auth/recover`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
        },
        body: JSON.stringify({ email, password: `chosen ${at}` }),
      });
      if (response.status !== 200) throw new Error(`POST /auth/recover: ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: parallelRecoveries }, keepGoing));
  return count;
}

async function disturb(api: string, emails: string[], tokens: string[]): Promise<void> {
  const url = `${api}/api/v1/wallet`;
  const requests = tokens.map((token) => requestOf('GET', token));
  await load(url, requests, 1);
  const recovering = recover(api, emails, recovery_s);
  await delay(500);
  const { latency, requests: rate } = await load(url, requests, recovery_s - 1);
  const count = await recovering;
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
  const { p50 } = rank(answers.slice(lookupCount / 2));
  judgeAtMost(`Median of lookups of ${numberCount} numbers`, p50, longestLookup_ms, 'ms');
}
