import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withLock } from '../../sql/process/file-lock.ts';
import { AlreadyRunning, NothingToDo } from '../errors.ts';

export interface DumpFolder {
  /** The folder that becomes the dump. After the fetch, the folder holds only files of the dump, flushed to disk. */
  dump: string;
  /** The folder of files that survive an interruption, from which the next attempt continues. */
  work: string;
  inbox: string;
}

/**
 * Fills the dump folder `INBOX_DIR/<source>/<date>/`, which appears only when it is complete. While the dump is
 * incomplete, its files lie in the hidden folder `.<date>.part/`, which the inbox ignores. After an interruption, the
 * next attempt continues from the files in `.<date>.part/`. Throws `NothingToDo` if the dump folder exists, and
 * `AlreadyRunning` while another process fills it.
 *
 * @param fill returns the report, which is written next to the folder as `<date>.fetched.json`
 */
export async function fillFolder<T extends object>(
  { inboxDir, source, date }: { inboxDir: string; source: string; date: string },
  fill: (folder: DumpFolder) => Promise<T>,
): Promise<T> {
  const inbox = join(inboxDir, source);
  const final = join(inbox, date);
  const work = join(inbox, `.${date}.part`);
  const dump = join(work, 'dump');
  await mkdir(inbox, { recursive: true });
  return await claim(work, async () => {
    if (existsSync(final)) {
      // The folder `work` still exists if an earlier attempt was killed after `dump` had been renamed.
      await rm(work, { recursive: true, force: true });
      throw new NothingToDo(`${final} is there already`);
    }
    await mkdir(dump, { recursive: true });
    const report = await fill({ dump, work, inbox });
    await writeLines(join(inbox, `${date}.fetched.json`), [JSON.stringify(report, null, 2)]);
    await rename(dump, final);
    await rm(work, { recursive: true });
    return report;
  });
}

/** Calls `use` under the lock of the folder `work`. Throws `AlreadyRunning` if another process holds the lock. */
function claim<T>(work: string, use: () => Promise<T>): Promise<T> {
  // The lock is a symbolic link with a hidden name, because the inbox reports visible links that are no dumps.
  return withLock(work.replace(/part$/, 'claim'), use, (pid) => {
    const [source, date] = [basename(dirname(work)), basename(work).slice(1, -'.part'.length)];
    throw new AlreadyRunning(`Process ${pid} is fetching ${source} of ${date}`);
  });
}

/** Removes unfinished folders of earlier days, except a folder that another process is filling. */
export async function clearEarlier({ inbox, work }: DumpFolder): Promise<void> {
  const names = (await readdir(inbox)).filter((name) => /^\.[\d-]{10}\.part$/.test(name));
  const earlier = names.map((name) => join(inbox, name)).filter((path) => path < work);
  for (const path of earlier) {
    await claim(path, () => rm(path, { recursive: true, force: true })).catch((error: unknown) => {
      if (!(error instanceof AlreadyRunning)) throw error;
    });
  }
}

/** Writes a file under a temporary name and renames it, so that even a power cut leaves no partial file. */
export async function writeLines(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(`${path}.new`, lines.map((line) => `${line}\n`).join(''), { flush: true });
  await rename(`${path}.new`, path);
}

/** Returns the lines of a file, without blank lines. */
export async function readLines(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
}
