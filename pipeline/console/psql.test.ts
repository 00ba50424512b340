import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, onTestFinished } from 'vitest';
import { runCommand, startCommand, type Started } from '../../fixtures/process/cli.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-psql-'));
  // Root runs Postgres as another user, which must reach the folder.
  await chmod(folder, 0o755);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function ask(connectionString: string, query: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query({ text: query, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

describe('registry psql with DATABASE_URL', () => {
  let db: TestDatabase;
  let url: string;

  beforeAll(async () => {
    db = await createTestDatabase();
    const withPassword = new URL(db.url);
    withPassword.password = 'secret+1';
    url = withPassword.href;
  });

  afterAll(() => db.drop());

  test('prints a connection as the reader, without the password', async () => {
    const { code, stdout } = await runCommand(['psql', '--print'], { DATABASE_URL: url });
    expect(code).toBe(0);
    expect(stdout).not.toContain('secret');
    const printed = stdout.trim();
    expect(await ask(printed, 'select current_user')).toEqual(['registry_reader']);
    expect(await ask(printed, 'select count(*) from analyst.voivodeship')).toEqual(['16']);
    await expect(ask(printed, 'select * from registry.entry')).rejects.toThrow('permission denied');
  });

  test('opens psql with that connection and the arguments after --', async () => {
    const psql = join(folder, 'psql');
    await writeFile(psql, '#!/bin/sh\nprintf "%s\\n" "$PGPASSWORD" "$@"\nexit 3\n', {
      mode: 0o755,
    });
    const variables = { DATABASE_URL: url, PATH: `${folder}:${process.env.PATH}` };
    const { code, stdout } = await runCommand(['psql', '--', '-c', 'select 1'], variables);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^secret\+1\npostgresql:\/\/\w+@.*registry_reader.*\n-c\nselect 1\n$/);
  });

  test('prints the connection where there is no psql', async () => {
    const { code, stdout } = await runCommand(['psql'], { DATABASE_URL: url, PATH: '' });
    expect(code).toBe(0);
    expect(stdout).toContain('registry_reader');
    expect(stdout).not.toContain('secret');
  });

  test('says what is missing where the login may not take the role of the reader', async () => {
    const login = `plain_${process.pid}`;
    await db.pool.query(`create role ${login} login`);
    await db.pool.query(`create database ${login} owner ${login} template template0`);
    onTestFinished(async () => {
      await db.pool.query(`drop database ${login} with (force)`);
      await db.pool.query(`drop role ${login}`);
    });
    const own = new URL(db.url);
    own.username = own.pathname = login;
    const variables = { DATABASE_URL: own.href };
    expect((await runCommand(['migrate'], variables)).code).toBe(0);
    const refused = await runCommand(['psql', '--print'], variables);
    expect(refused.code).toBe(1);
    expect(refused.sentences()).toEqual([
      `${login} may not take the role registry_reader. An administrator runs: grant registry_reader to ${login};`,
    ]);
    await db.pool.query(`grant registry_reader to ${login}`);
    const { stdout } = await runCommand(['psql', '--print'], variables);
    expect(await ask(stdout.trim(), 'select current_user')).toEqual(['registry_reader']);
  });

  test('exits with 2 for a port, which the server has itself', async () => {
    const { code } = await runCommand(['psql', '--port', '5433'], { DATABASE_URL: url });
    expect(code).toBe(2);
  });
});

describe('registry psql with the embedded server', { timeout: 120_000 }, () => {
  let started: Started;
  let url: string;

  beforeAll(async () => {
    started = startCommand(['psql', '--port', '0'], { DATA_DIR: folder });
    await started.says('/registry\n');
    url = started.stdout.trim();
  }, 120_000);

  afterAll(async () => {
    started.child.kill('SIGTERM');
    await started.end;
    await destroyEmbedded(folder);
  });

  test('gives readers a port of this machine', async () => {
    expect(url).toMatch(/^postgresql:\/\/registry_reader@127\.0\.0\.1:\d+\/registry$/);
    expect(await ask(url, 'select count(*) from analyst.voivodeship')).toEqual(['16']);
    await expect(ask(url, 'create temp table made (i int)')).rejects.toThrow('read-only');
    await expect(ask(url, 'set role postgres')).rejects.toThrow('permission denied');
    await expect(ask(`${url}?sslmode=verify-full`, 'select 1')).rejects.toThrow('SSL');
  });

  test('refuses every other role', async () => {
    const refused = 'this port is for the role registry_reader';
    await expect(ask(url.replace('registry_reader', 'postgres'), 'select 1')).rejects.toThrow(
      refused,
    );
  });

  test.each([
    ['a second user', 'user\0registry_reader\0user\0postgres\0database\0registry\0\0'],
    ['no user', 'database\0registry\0\0'],
    ['a user as a value', 'database\0user\0registry_reader\0postgres\0user\0postgres\0\0'],
  ])('refuses a first message with %s', async (_, parameters) => {
    const message = Buffer.alloc(8 + parameters.length);
    message.writeInt32BE(message.length, 0);
    message.writeInt32BE(3 << 16, 4);
    message.write(parameters, 8);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    // In two parts, as a network may bring it.
    socket.write(message.subarray(0, 6));
    await once(socket, 'connect');
    socket.write(message.subarray(6));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toContain('this port is for the role registry_reader');
  });
});
