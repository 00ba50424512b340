import { EventEmitter, once } from 'node:events';
import { run } from 'graphile-worker';
import type { PoolClient } from 'pg';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { sendOptions } from '../../fixtures/process/mail-delivery.ts';
import { socketOf } from '../../sql/connection/pool.ts';
import { createFileDelivery } from '../mail/transport.ts';
import { readEnvironment } from '../environment.ts';
import { describeQueue } from './queue.ts';

let db: TestDatabase;

beforeEach(async () => {
  db = await createTestDatabase();
});

// The queue then releases the session twice, which would end the process.
test('that ends while it begins to listen may lose its session', async () => {
  const mail = sendOptions(db, createFileDelivery('/nowhere'));
  const end = new AbortController();
  const settings = readEnvironment({});
  const logger = pino({ enabled: false });
  const all = { db, mail, sources: [], settings, logger, complain: () => undefined };
  const options = describeQueue('mail', all, end.signal);
  const events = new EventEmitter();
  const listening = new Promise<PoolClient>((resolve) => {
    events.once('pool:listen:success', ({ client }) => {
      // The answer to the statement that begins to listen, which follows, is never read.
      socketOf(client).pause();
      resolve(client);
    });
  });
  const runner = await run({ ...options, events });
  const client = await listening;
  const released: unknown[] = [];
  db.pool.on('release', (_error, session) => {
    if (session === client) released.push(session);
  });
  const stopped = runner.stop();
  socketOf(client).destroy();
  const reconnecting = once(events, 'pool:listen:connecting');
  await stopped;
  end.abort();
  expect(released).toHaveLength(1);
  // The queue reconnects all the same; the pool has ended by then.
  await db.close();
  await reconnecting;
});
