import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { countWaiting, hold } from '../../fixtures/database/locks.ts';
import { createSubmitter } from '../../fixtures/client/submitter.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi({ REQUESTS_IN_FLIGHT: 3 });

test('Requests of an account beyond its share wait, and hold one session; too many get a 429', async () => {
  const submitter = await createSubmitter(database, api);
  const other = await createSubmitter(database, api);
  const lock = 'select customer.lock_accounts(array[$1::bigint])';
  const release = await hold(database.pool, lock, [submitter.account_id]);
  const added = ['0000000017', '0000000018', '0000000019'].map((krs) => submitter.add('KRS', krs));
  await expect.poll(() => countWaiting(database.pool)).toBe(1);
  const leaving = new AbortController();
  const gone = api.ask('/api/v1/companies/add', {
    method: 'POST',
    headers: { Authorization: `Bearer ${submitter.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ identifier_type: 'KRS', identifier_value: ['0000000020'] }),
    signal: leaving.signal,
  });
  await delay(200);
  leaving.abort();
  await expect(gone).rejects.toThrow('aborted');
  const waiting = Array.from({ length: 48 }, () => submitter.ask('GET /wallet'));
  const message = 'At most 3 requests may be under way at a time, and 48 wait.';
  expect(await Promise.race(waiting)).toEqual({ status: 429, body: { message } });
  expect((await other.ask('GET /wallet')).status).toBe(200);
  expect((await api.ask('/api/v1/event-types')).status).toBe(200);
  expect(await countWaiting(database.pool)).toBe(1);
  await release();
  await Promise.all(added);
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(47);
  // The watch list has no fourth company: the queued request of the disconnected client was not run.
  expect(await submitter.list()).toHaveLength(3);
  // A request that ends with an error frees its place in the limit of parallel requests.
  const unknown = Array.from({ length: 10 }, () => submitter.ask('GET /tokens/AAAAAAAAAAAA'));
  expect(new Set((await Promise.all(unknown)).map(({ status }) => status))).toEqual(new Set([404]));
});
