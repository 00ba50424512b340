import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { readMailedToken, secretKey } from '../../../fixtures/client/mailed-token.ts';
import { listSamples } from '../../../fixtures/client/samples.ts';
import { findPort, startTestApi } from '../../../fixtures/client/test-api.ts';
import { createFirstDay } from '../../../fixtures/dump/night.ts';

const folder = await mkdtemp(join(tmpdir(), 'registry-samples-'));
const database = await createFirstDay();
const port = await findPort();
const baseUrl = `http://127.0.0.1:${port}`;
const api = await startTestApi({ db: database.kysely, port, baseUrl, secretKey });
// Waits until the API has loaded the companies into its search index.
await vi.waitUntil(async () => (await api.ask('/readyz')).ok, { timeout: 30_000 });

/** The program that runs a code sample and the suffix of the sample's file, by language. */
const programs: Record<string, [command: string, suffix: string]> = {
  curl: ['sh', 'sh'],
  typescript: [process.execPath, 'mts'],
  python: ['python3', 'py'],
};

/** Runs a copied code sample as a reader of the documentation would. Returns the JSON that the sample prints. */
async function run(language: string, text: string, tokens: object): Promise<unknown> {
  const [command, suffix] = programs[language]!;
  const file = join(folder, `sample.${suffix}`);
  await writeFile(file, text);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...tokens };
  const { stdout } = await promisify(execFile)(command, [file], { env });
  return JSON.parse(stdout);
}

test.each(Object.keys(programs))(
  'the quickstart leads from the registration to the feed in %s',
  async (language) => {
    const samples = listSamples(await (await api.ask('/docs')).text())
      .filter((sample) => sample.language === language)
      .map(({ text }) => text);
    expect(samples).toHaveLength(7);
    const tokens: Record<string, string> = {};
    const step = (at: number, from = '', to = '') =>
      run(language, samples[at - 1]!.replace(from, to), tokens);

    // Each language registers another mail address.
    const email = `${language}@company.example`;
    expect(await step(1, 'anna@company.example', email)).toMatchObject({ email });
    const mailed = await readMailedToken(database.kysely, email);
    const opened = await step(2, 'eyJhbGciOiJIUzI1NiJ9.….…', mailed);
    tokens.MASTER_TOKEN = (opened as { master_token: string }).master_token;
    const created = (await step(3)) as { data: { plaintext: string } };
    tokens.API_TOKEN = created.data.plaintext;
    expect(tokens).toEqual({
      MASTER_TOKEN: expect.stringMatching(/^sk_live_/),
      API_TOKEN: expect.stringMatching(/^sk_api_/),
    });

    const name = 'Piekarnia Pod Wieżą Anna Żakowska';
    expect(await step(4)).toMatchObject({ data: { results: [{ name }] } });
    expect(await step(5)).toMatchObject({ data: { profiles: [{ name }] } });
    expect(await step(6)).toMatchObject({
      message: expect.stringMatching(/^1 of 3 companies ready/),
    });
    expect(await step(7)).toMatchObject({ status: 'success', meta: { has_more: false } });
  },
  60_000,
);
