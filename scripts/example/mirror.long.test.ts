import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askJson } from '../../fixtures/client/json-client.ts';
import { findPort } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { createReader } from '../../fixtures/client/watch.ts';
import { createFirstDay, runFixture } from '../../fixtures/dump/night.ts';
import { startCommand, startProgram, startScript } from '../../fixtures/process/cli.ts';
import { secretKey } from '../../fixtures/process/mail-delivery.ts';
import { startReceiver } from '../../fixtures/process/test-receiver.ts';

const { database, api } = await useApi({ secretKey, WEBHOOK_ALLOW_PRIVATE: true }, createFirstDay);
const folder = import.meta.dirname;
const bin = (name: string) => join(folder, 'node_modules/.bin', name);
const copyFile = join(mkdtempSync(join(tmpdir(), 'mirror-')), 'copy.json');

async function run(program: string, args: string[]): Promise<void> {
  const started = startProgram(program, args, { PATH: `${folder}/node_modules/.bin` });
  expect({ end: await started.end, stdout: started.stdout }).toMatchObject({ end: 0 });
}

test('the example compiles with generated types, and loses no event of dropped, repeated and refused calls', async () => {
  const document = `${api.url}/api/v1/openapi.json`;
  await run(process.execPath, [bin('openapi-typescript'), document, '-o', `${folder}/registry.ts`]);
  await run(process.execPath, [bin('tsc'), '-p', folder]);

  const { master_token: token } = await createReader(database);
  const port = await findPort();
  let count = 0;
  const relay = await startReceiver(async ({ headers, body }) => {
    count += 1;
    const sent = { method: 'POST', headers: { ...headers } as Record<string, string>, body };
    for (const name of ['host', 'connection', 'content-length']) delete sent.headers[name];
    // At the end of the test, the worker may still call the stopped example program; the relay then answers with 503.
    const pass = () => fetch(`http://127.0.0.1:${port}`, sent).catch(() => ({ status: 503 }));
    // Of every three webhook calls, the second is acknowledged but not forwarded, and the third is forwarded twice.
    if (count % 3 === 2) return { status: 204 };
    if (count % 3 === 0) await pass();
    const { status } = await pass();
    return { status };
  });
  const registration = { url: relay.url, max_events: 5 };
  const registered = await askJson(api, 'POST /webhooks', { token, body: registration });
  const { secret } = (registered.body as { data: { secret: string } }).data;
  const mirror = startScript(join(folder, 'mirror.ts'), [], {
    API_URL: api.url,
    API_TOKEN: token,
    WEBHOOK_SECRET: secret,
    PORT: String(port),
    COPY: copyFile,
  });
  await mirror.says(`port: ${port}`);
  const refused = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' });
  expect(refused.status).toBe(500);

  startCommand(['worker'], {
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  const idsOf = (events: { id: number }[]) =>
    events.map(({ id }) => id).toSorted((one, other) => one - other);
  const readCopy = () => {
    const { companies } = JSON.parse(readFileSync(copyFile, 'utf8')) as {
      companies: Record<string, Record<string, { id: number }>>;
    };
    return idsOf(Object.values(companies).flatMap((events) => Object.values(events)));
  };
  for (const day of ['2026-11-03', '2026-11-04']) {
    await runFixture(database, day);
    const feed = await askJson(api, 'GET /events/feed?limit=1000', { token });
    const ids = idsOf((feed.body as { data: { id: number }[] }).data);
    expect(ids.length).toBeGreaterThan(15);
    await expect.poll(readCopy).toEqual(ids);
  }
  expect(mirror.stdout).toMatch(/The feed has brought [1-9]\d* events/);
});
