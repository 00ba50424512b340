import { expect, test } from 'vitest';
import { createFirstDay } from '../../fixtures/dump/night.ts';
import { createSubmitter } from '../../fixtures/client/submitter.ts';
import { startTestApi } from '../../fixtures/client/test-api.ts';
import { describeWatches, readWatchStatus } from './status.ts';

let now = new Date('2026-11-20T10:05:07Z');

const db = await createFirstDay();
const api = await startTestApi({ db: db.kysely, now: () => now });

test('counts what is watched, waited for, and was in vain', async () => {
  const submitter = await createSubmitter(db, api);
  await submitter.add('KRS', '0000000017');
  await db.pool.query(`select customer.advance_watches('2026-11-27T10:05:07Z')`);
  now = new Date('2026-11-28T10:05:07Z');
  await submitter.add('NIP', '1000201006', '1000205004');
  await submitter.add('KRS', '0000000025');
  const { rows } = await db.pool.query<{ user_ref: string }>(
    'select user_ref from customer.account where account_id = $1',
    [submitter.account_id],
  );
  const { user_ref } = rows[0]!;
  const status = await readWatchStatus(db, '2026-11-28');
  expect(status).toEqual({
    ready: 1,
    queued: 2,
    oldest_queued_at: '2026-11-28T10:05:07+00:00',
    failed: 1,
    open_submissions: 2,
    waiting_accounts: 1,
    longest_waiting: [{ user_ref, numbers: 2, due_since: '2026-11-28T10:05:07+00:00' }],
  });
  expect(describeWatches(status)).toEqual([
    'Watch lists',
    '  1 ready; 2 queued, the oldest since 2026-11-28 10:05 UTC; 1 failed in the last 7 days; 2 submissions open',
    '  1 account waits for imports, longest:',
    `    ${user_ref}  since 2026-11-28 10:05 UTC, 2 numbers`,
  ]);
  // `failed` counts only failures of the last seven days.
  expect(await readWatchStatus(db, '2026-12-05')).toMatchObject({ failed: 0 });
});
