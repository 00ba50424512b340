import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withLock } from '../../sql/process/file-lock.ts';
import { AlreadyRunning, NothingToDo } from '../errors.ts';

export interface DumpFolder {
  /** The folder into which a fetch writes the files of the dump. After the fetch, the folder is renamed to the day. */
  dump: string;
  /** The folder of intermediate files, from which the next attempt continues after an interrupted fetch. */
  work: string;
  inbox: string;
}

/**
 * Creates the dump folder `INBOX_DIR/<source>/<date>/`, which appears only when all its files are complete. While the
 * dump is incomplete, its files lie in the hidden folder `.<date>.part/`, which the inbox ignores. After an
 * interruption, the next attempt continues from the files in `.<date>.part/`. Throws `NothingToDo` if the dump folder
 * exists, and `AlreadyRunning` if another process is filling it.
 *
 * @param fill writes the files of the dump, and returns the report, which is stored as `<date>.fetched.json`
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
      // The folder `work` still exists if an earlier attempt was killed after it had renamed the folder `dump`.
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

/** Calls `use` while holding the lock of folder `work`. Throws `AlreadyRunning` if another process holds the lock. */
function claim<T>(work: string, use: () => Promise<T>): Promise<T> {
  // The lock is a symbolic link with a hidden name, because nights report visible links in the inbox that are no dumps.
  return withLock(work.replace(/part$/, 'claim'), use, (pid) => {
    const [source, date] = [basename(dirname(work)), basename(work).slice(1, -'.part'.length)];
    throw new AlreadyRunning(`Process ${pid} is fetching ${source} of ${date}`);
  });
}

/** Removes the unfinished dumps of earlier days, except a dump that another process is fetching. */
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
