import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Started, startScript } from '../fixtures/process/cli.ts';
import { fixtureFolder } from '../fixtures/dump/night.ts';
import { createTestDatabase, type TestDatabase } from '../fixtures/database/test-database.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

interface Lock {
  packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
}

let db: TestDatabase;
/** A folder with the code and the packages that `npm ci --omit=dev --omit=optional` installs. */
let root: string;

/** Returns whether the file `found` in the folder of a package belongs to a nested package. */
function isOfAnother(path: string, found: string): boolean {
  return found.slice(path.length).includes('node_modules');
}

beforeAll(async () => {
  db = await createTestDatabase();
  root = await mkdtemp(join(tmpdir(), 'registry-production-'));
  const { packages } = JSON.parse(
    await readFile(join(project, 'package-lock.json'), 'utf8'),
  ) as Lock;
  const needed = Object.entries(packages)
    .filter(([path, { dev, devOptional, optional }]) => path && !dev && !devOptional && !optional)
    .map(([path]) => path);
  for (const path of needed) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    // Nested packages are not copied with the outer package, because each needed package is copied separately.
    const filter = (found: string) => !isOfAnother(join(project, path), found);
    await cp(join(project, path), join(root, path), { recursive: true, filter });
  }
  for (const path of ['package.json', 'api', 'pipeline', 'sql']) {
    await cp(join(project, path), join(root, path), { recursive: true });
  }
}, 120_000);

function run(...args: string[]): Started {
  const variables = {
    DATABASE_URL: db.url,
    DATA_DIR: join(root, 'data'),
    PORT: '0',
    NODE_COMPILE_CACHE: '',
  };
  return startScript(join(root, 'pipeline', 'registry.js'), args, variables);
}

describe('without the packages of development, the embedded server and its Node', () => {
  test('the packages take less than 200 MB', () => {
    const [kilobytes] = execFileSync('du', ['-sk', join(root, 'node_modules')], {
      encoding: 'utf8',
    }).split('\t');
    expect(Number(kilobytes) / 1024).toBeLessThan(200);
  });

  test('a dump is published', async () => {
    const folder = fixtureFolder('2026-11-02');
    const command = run('ingest', 'ceidg', folder, '--date', '2026-11-02');
    expect(await command.end).toBe(0);
    expect(command.stdout).toContain('ceidg 2026-11-02: published, the baseline, run 1\n');
  });

  test('the API answers, and hashes passwords', async () => {
    const api = run('serve');
    await api.says('Listening on');
    const [, url] = /^Listening on (\S+)\n$/.exec(api.stdout)!;
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ok' });
    const answer = await fetch(`${url}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        email: 'ada@firma.example',
        name: 'Ada',
        password: 'long enough',
        password_confirmation: 'long enough',
      }),
    });
    expect(answer.status).toBe(201);
    api.child.kill('SIGTERM');
    expect(await api.end).toBe(0);
  });

  test('the worker sends mails, and serves its metrics', async () => {
    const worker = run('worker');
    await worker.says('mail: sent');
    worker.child.kill('SIGTERM');
    expect(await worker.end).toBe(0);
  });

  test('a command without DATABASE_URL says what is missing', async () => {
    const status = startScript(join(root, 'pipeline', 'registry.js'), ['status'], {
      DATA_DIR: join(root, 'data'),
    });
    expect(await status.end).toBe(1);
    expect(status.sentences().join(' ')).toContain('Set DATABASE_URL to use another Postgres');
  });
});

describe('without any package', () => {
  test('registry says how they are installed', async () => {
    const bare = await mkdtemp(join(tmpdir(), 'registry-bare-'));
    await cp(join(project, 'pipeline'), join(bare, 'pipeline'), { recursive: true });
    const command = startScript(join(bare, 'pipeline', 'registry.js'), ['status']);
    expect(await command.end).toBe(1);
    expect(command.sentences()).toEqual([
      'registry needs its dependencies: run npm ci --omit=dev first.',
    ]);
    await rm(bare, { recursive: true });
  });

  test('registry and npm start say the same on a Node that is too old', async () => {
    const bare = await mkdtemp(join(tmpdir(), 'registry-bare-'));
    for (const path of ['pipeline', 'scripts']) {
      await cp(join(project, path), join(bare, path), { recursive: true });
    }
    await mkdir(join(bare, 'node_modules', 'commander'), { recursive: true });
    const old = `data:text/javascript,
      Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } });
      Object.defineProperty(process, 'version', { value: 'v20.19.0' });`;
    for (const script of ['pipeline/registry.js', 'scripts/npm-start.js']) {
      const command = startScript(join(bare, script), ['status'], {}, ['--import', old]);
      expect(await command.end).toBe(1);
      expect(command.sentences()).toEqual([
        'registry needs Node 24.7 or newer. This is v20.19.0, and node_modules has none either: run npm ci, or install a newer Node.',
      ]);
    }
    await rm(bare, { recursive: true });
  });
});
