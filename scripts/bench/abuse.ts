// Measures the harm that one account does to others: it adds invented numbers and searches for unknown names,
// and mails go to a silent SMTP server. Meanwhile other accounts read, search and wait for an import.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { leaveMail } from '../../fixtures/process/mail.ts';
import { currentExtract, startKrsStub } from '../../fixtures/registry/krs-stub.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import { type Answer, type Ask, createAsk } from './load.ts';
import { judgeAtMost } from './judge.ts';
import { meet } from './others.ts';
import { createTokens, type Setting, waitUntilLoaded } from './setting.ts';

const longestImport_s = 60;
/** The tokens and connections of the abusing account, and the duration of its abuse. */
const [tokenCount, connectionCount, duration_ms] = [10, 50, 20_000];
/** The time that the registry takes for an answer. */
const registry_ms = 200;
const [mailCount, searchCount] = [60, 1_750];
const quiet_ms = 4_000;

/** Sends requests of one account with many tokens over many connections until `next` gives no more. */
async function abuse(db: Db, ask: Ask, next: () => [path: string, body?: object] | undefined) {
  const { tokens } = await createTokens(db, tokenCount);
  const answers: Answer[] = [];
  const connect = async (_: unknown, at: number) => {
    for (let request = next(); request; request = next()) {
      answers.push(await ask(tokens[at % tokenCount]!, ...request));
    }
  };
  await Promise.all(Array.from({ length: connectionCount }, connect));
  return answers;
}

/** Judges the seconds until the import of a number, which only the registry knows, is ready. */
async function timeImport(name: string, ask: Ask, token: string, krs: string) {
  const started_ms = performance.now();
  await ask(token, '/companies/add', { identifier_type: 'KRS', identifier_value: [krs] });
  while (!(await ask(token, '/companies/watched')).text.includes('"state":"ready"')) {
    await delay(500);
    if (performance.now() - started_ms > 5 * longestImport_s * 1000) break;
  }
  judgeAtMost(name, (performance.now() - started_ms) / 1000, longestImport_s, 's');
}

const entryOf = (krs: string) => ({ register: 'P' as const, current: currentExtract(krs, krs) });

export async function benchAbuse(setting: Setting): Promise<void> {
  const { db, kysely, tokens, startApi, startWorker } = setting;
  const [known, other] = ['0009000001', '0009000002'] as const;
  const entries = { [known]: entryOf(known), [other]: entryOf(other) };
  const krs = await startKrsStub({ bulletins: {}, entries });
  krs.interfere(() => ({ held: delay(registry_ms) }));
  const sockets = new Set<Socket>();
  const smtp = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await once(smtp.listen(0, '127.0.0.1'), 'listening');
  await startWorker({
    BASE_URL: 'http://localhost',
    SMTP_URL: `smtp://127.0.0.1:${(smtp.address() as AddressInfo).port}`,
    MAIL_FROM: 'registry@localhost',
    KRS_URL: krs.url,
  });
  try {
    const api = await startApi();
    await waitUntilLoaded(api);
    const ask = createAsk(api);
    const others = tokens.slice(10);
    // The first round compiles the code; the second measures the machine without abuse.
    for (const name of ['No abuse, at first', 'No abuse']) {
      const nothing = delay(quiet_ms).then((): Answer[] => []);
      await meet(name, ask, others, '/wallet', nothing);
    }
    let count = 0;
    const until_ms = performance.now() + duration_ms;
    const invent = () => String(8_000_000 + (count += 1)).padStart(10, '0');
    const adding = abuse(kysely, ask, () => {
      const identifier_value = Array.from({ length: 100 }, invent);
      const body = { identifier_type: 'KRS', identifier_value };
      return performance.now() < until_ms ? ['/companies/add', body] : undefined;
    });
    const importing = delay(duration_ms / 2).then(() =>
      timeImport('Import beside a full queue', ask, tokens[4]!, known),
    );
    await meet('Invented numbers', ask, others, '/wallet', adding);
    await importing;
    count = 0;
    const searching = abuse(kysely, ask, () =>
      (count += 1) <= searchCount ? [`/companies/search?name=nobody${count}`] : undefined,
    );
    const longer = searching.then(async (answers) => (await delay(8_000), answers));
    const cities = '/companies/search?voivodeship=opolskie';
    await meet('Searches for unknown names', ask, others, cities, longer);
    for (let mail = 0; mail < mailCount; mail += 1) await leaveMail(db);
    while (sockets.size === 0) await delay(100);
    await timeImport('Import beside a silent SMTP server', ask, tokens[5]!, other);
  } finally {
    smtp.close();
    for (const socket of sockets) socket.destroy();
    await krs.close();
  }
}
