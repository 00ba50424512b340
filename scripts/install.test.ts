import { cp, mkdir, mkdtemp, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';

// The type of `isStale` is stated here, because install.js is plain JavaScript without types.
const { isStale } = (await import(new URL('install.js', import.meta.url).href)) as {
  isStale: (root: string, needsDev: boolean) => boolean;
};

interface Lock {
  packages: Record<string, Record<string, unknown>>;
}

const lock: Lock = {
  packages: {
    '': { version: '0.1.0' },
    'node_modules/pg': { version: '8.0.0', integrity: 'sha512-a' },
    'node_modules/vitest': { version: '5.0.0', integrity: 'sha512-b', dev: true },
    'node_modules/darwin': { version: '1.0.0', integrity: 'sha512-c', optional: true },
  },
};

let root: string;

/** Writes npm's list of installed packages: the packages of the lock file after the changes of `change`. */
async function install(change: (packages: Lock['packages']) => void = () => undefined) {
  const { '': _, ...packages } = structuredClone(lock.packages);
  change(packages);
  await mkdir(join(root, 'node_modules'), { recursive: true });
  const file = join(root, 'node_modules', '.package-lock.json');
  await writeFile(file, JSON.stringify({ packages }));
  return file;
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'registry-install-'));
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(lock));
});

describe('what is installed is compared with the lock file by contents', () => {
  test('before the first install, and after an install that was cut short, it is stale', async () => {
    expect(isStale(root, false)).toBe(true);
    const file = await install();
    await writeFile(file, '{"pack');
    expect(isStale(root, false)).toBe(true);
  });

  test('the times of the files say nothing', async () => {
    const file = await install();
    expect(isStale(root, true)).toBe(false);
    await utimes(file, 0, 0);
    expect(isStale(root, true)).toBe(false);
    await utimes(join(root, 'package-lock.json'), 0, 0);
    await install((packages) => (packages['node_modules/pg']!.version = '7.0.0'));
    expect(isStale(root, true)).toBe(true);
  });

  test.each([
    ['a missing package', 'pg', undefined],
    ['another version', 'pg', { version: '8.0.1', integrity: 'sha512-a' }],
    ['other bytes', 'pg', { version: '8.0.0', integrity: 'sha512-x' }],
    ['a package too many', 'left-over', { version: '1.0.0' }],
  ])('%s is stale', async (_, name, found) => {
    await install((packages) => {
      const path = `node_modules/${name}`;
      if (found) packages[path] = found;
      else delete packages[path];
    });
    expect(isStale(root, false)).toBe(true);
  });

  test.each([
    ['an optional package of another system', 'darwin', false],
    ['a package of development, where nothing needs it,', 'vitest', true],
  ])('%s may be absent', async (_, name, isStaleForTests) => {
    await install((packages) => delete packages[`node_modules/${name}`]);
    expect([isStale(root, false), isStale(root, true)]).toEqual([false, isStaleForTests]);
  });

  test('what npm has installed here is up to date', async () => {
    const project = join(import.meta.dirname, '..');
    await cp(join(project, 'package-lock.json'), join(root, 'package-lock.json'));
    const text = await readFile(join(project, 'node_modules', '.package-lock.json'), 'utf8');
    await install((packages) => {
      for (const path of Object.keys(packages)) delete packages[path];
      Object.assign(packages, (JSON.parse(text) as Lock).packages);
    });
    expect(isStale(root, true)).toBe(false);
  });
});
