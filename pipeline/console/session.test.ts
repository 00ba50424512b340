import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { acquireEmbedded, destroyEmbedded } from '../../sql/embedded/embedded.ts';
import { describeFault } from '../fault.ts';
import { withDatabase } from './session.ts';

/** A small file system in memory, or undefined where this process may not mount one. */
async function mountSmallDisk(folder: string): Promise<string | undefined> {
  const disk = join(folder, 'disk');
  await mkdir(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,mode=755', 'tmpfs', disk]);
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  return disk;
}

test('a full disk of the WAL, which ends all sessions, is told as a full disk', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'registry-full-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const disk = await mountSmallDisk(folder);
  if (disk === undefined) return context.skip('only root can mount a small disk');
  const dataDir = join(folder, 'data');
  await (await acquireEmbedded(dataDir)).release();
  onTestFinished(() => destroyEmbedded(dataDir));
  const wal = join(dataDir, 'postgres', 'pg_wal');
  execFileSync('mv', [wal, disk]);
  await symlink(join(disk, 'pg_wal'), wal);
  vi.stubEnv('DATABASE_URL', undefined).stubEnv('BASE_URL', undefined).stubEnv('DATA_DIR', dataDir);
  onTestFinished(() => void vi.unstubAllEnvs());

  const fault = await withDatabase(async (db) => {
    await db.pool.query('create table filling (text text)');
    await db.pool.query(
      `insert into filling select repeat('a', 1000) from generate_series(1, 100000)`,
    );
  }).catch((error: unknown) => error);
  expect(describeFault(fault)).toMatch(
    /^The disk of the database is full: .*No space left on device; make room there first\.$/,
  );
});
