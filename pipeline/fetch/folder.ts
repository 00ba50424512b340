import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withLock } from '../../sql/process/file-lock.ts';
import { AlreadyRunning, NothingToDo } from '../errors.ts';

export interface DumpFolder {
  /** The folder that becomes the dump. In the end it holds only the files of the dump, flushed to the disk. */
  dump: string;
  /** The folder with the files from which a retry continues after an interruption. */
  work: string;
  inbox: string;
}

/**
 * Fills `INBOX_DIR/<source>/<date>/`, which appears whole or not at all. Until then all files lie in
 * `.<date>.part/`: the inbox ignores hidden folders in silence, and a retry continues from these files.
 * Throws `NothingToDo` when the folder exists, `AlreadyRunning` while another process fills the folder.
 *
 * @param fill returns the report that is written next to the folder, as `<date>.fetched.json`
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
      // An earlier attempt was killed after it renamed `dump` and before it removed `work`.
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

/** Calls `use` under the lock of the folder of an attempt. Throws `AlreadyRunning` while another process holds it. */
function claim<T>(work: string, use: () => Promise<T>): Promise<T> {
  // The lock is a link. Its name is hidden, because the inbox reports visible links that are no dumps.
  return withLock(work.replace(/part$/, 'claim'), use, (pid) => {
    const [source, date] = [basename(dirname(work)), basename(work).slice(1, -'.part'.length)];
    throw new AlreadyRunning(`Process ${pid} is fetching ${source} of ${date}`);
  });
}

/** Removes the folders that attempts at earlier days have left, except the folder of a running attempt. */
export async function clearEarlier({ inbox, work }: DumpFolder): Promise<void> {
  const names = (await readdir(inbox)).filter((name) => /^\.[\d-]{10}\.part$/.test(name));
  const earlier = names.map((name) => join(inbox, name)).filter((path) => path < work);
  for (const path of earlier) {
    await claim(path, () => rm(path, { recursive: true, force: true })).catch((error: unknown) => {
      if (!(error instanceof AlreadyRunning)) throw error;
    });
  }
}

/** Writes a file that appears whole or not at all, even after a power cut. */
export async function writeLines(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(`${path}.new`, lines.map((line) => `${line}\n`).join(''), { flush: true });
  await rename(`${path}.new`, path);
}

/** Returns the lines of a file, without blank lines. */
export async function readLines(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
}
