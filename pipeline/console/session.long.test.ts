import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { destroyEmbedded } from '../../fixtures/database/destroy-embedded.ts';
import { acquireEmbedded } from '../../sql/embedded/embedded.ts';
import { describeFault } from '../fault.ts';
import { withDatabase } from './session.ts';

const folder = await mkdtemp(join(tmpdir(), 'registry-full-'));
const disk = join(folder, 'disk');
await chmod(folder, 0o755);
await mkdir(disk);
const canMount = mountSmallDisk();

afterAll(async () => {
  if (canMount) execFileSync('umount', ['-l', disk]);
});

/** Mounts a file system of 48 MB. @returns whether the process was allowed to mount the file system */
function mountSmallDisk(): boolean {
  try {
    const options = ['-t', 'tmpfs', '-o', 'size=48m,mode=755', 'tmpfs', disk];
    execFileSync('mount', options, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

// The test is skipped unless root runs it, because only root may mount a file system.
test.runIf(canMount)(
  'a full disk of the WAL, which ends all sessions, is told as such',
  async () => {
    const dataDir = join(folder, 'data');
    await (await acquireEmbedded(dataDir)).release();
    onTestFinished(() => destroyEmbedded(dataDir));
    const wal = join(dataDir, 'postgres', 'pg_wal');
    execFileSync('mv', [wal, disk]);
    await symlink(join(disk, 'pg_wal'), wal);
    vi.stubEnv('DATABASE_URL', undefined).stubEnv('BASE_URL', undefined);
    vi.stubEnv('DATA_DIR', dataDir);
    onTestFinished(() => void vi.unstubAllEnvs());

    const filling = withDatabase(async (db) => {
      await db.pool.query('create table filling (text text)');
      await db.pool.query(
        `insert into filling select repeat('a', 1000) from generate_series(1, 100000)`,
      );
    });
    const fault = await filling.catch((error: unknown) => error);
    expect(describeFault(fault)).toMatch(
      /^The disk of the database is full: .*No space left on device; make room there first\.$/,
    );
  },
);
