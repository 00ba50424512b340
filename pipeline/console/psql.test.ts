import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, onTestFinished } from 'vitest';
import { runCommand, startCommand, type Started } from '../../fixtures/process/cli.ts';
import { findPort } from '../../fixtures/client/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../fixtures/database/test-database.ts';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';

const folder = await mkdtemp(join(tmpdir(), 'registry-psql-'));
// If root runs the test, PostgreSQL runs as another user, which needs access to the folder.
await chmod(folder, 0o755);

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
  let variables: Record<string, string>;

  beforeAll(async () => {
    db = await createTestDatabase();
    const login = { username: 'registry_reader', password: 'secret+1' };
    url = Object.assign(new URL(db.url), login).href;
    variables = { DATABASE_URL: db.url, DATABASE_READER_URL: url };
  });

  test('prints the connection of a reader, without the password', async () => {
    const { code, stdout } = await runCommand(['psql', '--print'], variables);
    expect(code).toBe(0);
    expect(stdout).not.toContain('secret');
    const printed = stdout.trim();
    expect(await ask(printed, 'select session_user')).toEqual(['registry_reader']);
    expect(await ask(printed, 'select count(*) from analyst.voivodeship')).toEqual(['16']);
    await expect(ask(printed, 'select * from registry.entry')).rejects.toThrow('permission denied');
    expect(await ask(printed, 'show statement_timeout')).toEqual(['10min']);
  });

  test('gives no way to the rights of the owner', async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('set role none; set default_transaction_read_only = off');
    await expect(client.query('select * from customer.account')).rejects.toThrow('denied');
    await expect(client.query('delete from registry.event')).rejects.toThrow('denied');
  });

  test('opens psql with that connection and the arguments after --', async () => {
    const psql = join(folder, 'psql');
    const script = '#!/bin/sh\nprintf "%s\\n" "$PGPASSWORD" "$@"\nexit 3\n';
    await writeFile(psql, script, { mode: 0o755 });
    const PATH = `${folder}:${process.env.PATH}`;
    const args = ['psql', '--', '-c', 'select 1'];
    const { code, stdout } = await runCommand(args, { ...variables, PATH });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^secret\+1\npostgresql:\/\/registry_reader@.*\n-c\nselect 1\n$/);
  });

  test('prints the connection where there is no psql', async () => {
    const { code, stdout } = await runCommand(['psql'], { ...variables, PATH: '' });
    expect(code).toBe(0);
    expect(stdout).toContain('registry_reader');
    expect(stdout).not.toContain('secret');
  });

  test('asks for the login of a reader, and takes no other one', async () => {
    const refuse = async (readerUrl: string) => {
      const given = { DATABASE_URL: db.url, DATABASE_READER_URL: readerUrl };
      const refused = await runCommand(['psql', '--print'], given);
      expect(refused.stdout).toBe('');
      return [refused.code, ...refused.sentences()];
    };
    const unset = /^DATABASE_READER_URL must be set .* alter role registry_reader password/;
    expect(await refuse('')).toEqual([2, expect.stringMatching(unset)]);
    const more = /^DATABASE_READER_URL: postgres may do more than read the views/;
    expect(await refuse(db.url)).toEqual([1, expect.stringMatching(more)]);
    const login = `plain_${process.pid}`;
    await db.pool.query(`create role ${login} login`);
    onTestFinished(async () => void (await db.pool.query(`drop role ${login}`)));
    const own = Object.assign(new URL(db.url), { username: login }).href;
    const less = `${login} may not read the views: grant registry_reader to ${login};`;
    expect(await refuse(own)).toEqual([1, less]);
    await db.pool.query(`grant registry_reader to ${login}`);
    expect((await runCommand(['psql', '--print'], { DATABASE_READER_URL: own })).code).toBe(0);
  });

  test('exits with 2 for a port, which the server has itself', async () => {
    const { code } = await runCommand(['psql', '--port', '5433'], variables);
    expect(code).toBe(2);
  });
});

describe('registry psql with the embedded server', { timeout: 120_000 }, () => {
  let started: Started;
  let url: string;

  beforeAll(async () => {
    const port = String(await findPort());
    started = startCommand(['psql', '--port', port], { DATA_DIR: folder });
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

  test('refuses every other role and database', async () => {
    for (const part of ['registry_reader', /registry$/]) {
      const other = ask(url.replace(part, 'postgres'), 'select 1');
      await expect(other).rejects.toThrow('no pg_hba.conf entry');
    }
  });

  test('gives no further port while the server runs', async () => {
    const second = await runCommand(['psql', '--port', '5999'], { DATA_DIR: folder });
    expect(second.code).toBe(1);
    expect(second.sentences()).toEqual([expect.stringContaining('READER_PORT=5999')]);
    const { stdout } = await runCommand(['psql', '--print'], { DATA_DIR: folder });
    expect(await ask(stdout.trim(), 'select session_user')).toEqual(['registry_reader']);
  });
});
