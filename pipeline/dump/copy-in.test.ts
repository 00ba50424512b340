import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PoolClient } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { CopyIn } from './copy-in.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
  await db.pool.query('create unlogged table public.line (line text)');
});

afterAll(() => db.drop());

const statement = 'copy public.line from stdin';
const line = `${'x'.repeat(9999)}\n`;

async function withClient(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await db.pool.connect();
  client.on('error', () => undefined);
  try {
    await work(client);
  } finally {
    client.release(true);
  }
}

/** What ends the session of a client from outside, and waits until the client knows. */
async function prepareCut(client: PoolClient): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return async () => {
    const ended = new Promise((resolve) => client.once('end', resolve));
    await db.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    await ended;
  };
}

describe('CopyIn', () => {
  test('sends all that is written, by several at the same time', async () => {
    await withClient(async (client) => {
      const copy = new CopyIn(client, statement);
      await Promise.all(Array.from({ length: 500 }, () => copy.write(line)));
      await copy.end();
      const { rows } = await client.query('select count(*)::integer from public.line');
      expect(rows).toEqual([{ count: 500 }]);
    });
  });

  test('throws when the connection was lost before it began', async () => {
    await withClient(async (client) => {
      const cutOff = await prepareCut(client);
      await cutOff();
      const copy = new CopyIn(client, statement);
      await new Promise((resolve) => setImmediate(resolve));
      await expect(copy.write(line)).rejects.toThrow('connection error');
      await expect(copy.end()).rejects.toThrow('connection error');
    });
  });

  test('throws when the connection is lost between two writes', async () => {
    await withClient(async (client) => {
      const cutOff = await prepareCut(client);
      const copy = new CopyIn(client, statement);
      await copy.write(line);
      await cutOff();
      await expect(copy.write(line)).rejects.toThrow('terminat');
      await expect(copy.end()).rejects.toThrow('terminat');
    });
  });

  test('throws what the server says of the rows', async () => {
    await withClient(async (client) => {
      const copy = new CopyIn(client, 'copy public.line from stdin (format binary)');
      const write = async () => {
        for (;;) await copy.write(line);
      };
      await expect(write()).rejects.toThrow('COPY file signature not recognized');
    });
  });

  test('leaves nothing when it is given up', async () => {
    await withClient(async (client) => {
      const copy = new CopyIn(client, 'copy public.line from stdin');
      const before = await db.pool.query('select count(*) from public.line');
      await copy.write(line);
      copy.abort(new Error('given up'));
      await expect(copy.end()).rejects.toThrow('given up');
      const after = await db.pool.query('select count(*) from public.line');
      expect(after.rows).toEqual(before.rows);
    });
  });
});
