import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readSecretKey } from './secret-key.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-secret-'));
});

describe('readSecretKey', () => {
  test('takes the key that is given, and writes none', async () => {
    expect(await readSecretKey(folder, 'k'.repeat(32))).toBe('k'.repeat(32));
    expect(await readdir(folder)).toEqual([]);
  });

  test('makes one key, however many ask at once, for its owner alone', async () => {
    const dataDir = join(folder, 'not', 'there yet');
    const keys = await Promise.all(Array.from({ length: 20 }, () => readSecretKey(dataDir)));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await readSecretKey(dataDir)).toBe(keys[0]);
    expect(await readdir(dataDir)).toEqual(['secret-key']);
    expect((await stat(join(dataDir, 'secret-key'))).mode & 0o777).toBe(0o600);
  });

  test('each folder has its own', async () => {
    expect(await readSecretKey(join(folder, 'a'))).not.toBe(await readSecretKey(join(folder, 'b')));
  });

  test.each(['', '\n', 'short'])('refuses a file that holds %j', async (text) => {
    await writeFile(join(folder, 'secret-key'), text);
    await expect(readSecretKey(folder)).rejects.toThrow(
      `${join(folder, 'secret-key')} holds no key; remove it, and a new one is made.`,
    );
  });
});
