import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readText } from '../../sql/process/system-process.ts';
import { withLock } from '../../sql/process/file-lock.ts';
import { AlreadyRunning, NothingToDo } from '../errors.ts';

export interface DumpFolder {
  /** Becomes the dump: holds its files, each flushed to the disk, and nothing else in the end. */
  dump: string;
  /** Holds what a retry after an interruption goes on from. */
  work: string;
  inbox: string;
}

/**
 * Fills `INBOX_DIR/<source>/<date>/`, which appears whole or not at all. Until then all files lie in
 * `.<date>.part/`: the inbox ignores hidden folders in silence, and a retry goes on from there.
 * Throws `NothingToDo` when the folder is there, `AlreadyRunning` while another process fills it.
 *
 * @param fill gives the report that is written next to the folder, as `<date>.fetched.json`
 */
export async function fillFolder<T extends object>(
  { inboxDir, source, date }: { inboxDir: string; source: string; date: string },
  fill: (folder: DumpFolder) => Promise<T>,
): Promise<T> {
  const inbox = join(inboxDir, source);
  const final = join(inbox, date);
  const work = join(inbox, `.${date}.part`);
  const dump = join(work, 'dump');
  await mkdir(inbox, { recursive: true }).catch((cause: Error) => {
    throw new Error(`The inbox cannot be written: ${cause.message}`, { cause });
  });
  const fillOnce = async () => {
    if (existsSync(final)) {
      // An attempt was killed after its last step but one.
      await rm(work, { recursive: true, force: true });
      throw new NothingToDo(`${final} is there already`);
    }
    await mkdir(dump, { recursive: true });
    const report = await fill({ dump, work, inbox });
    await writeWhole(join(inbox, `${date}.fetched.json`), `${JSON.stringify(report, null, 2)}\n`);
    await rename(dump, final);
    await rm(work, { recursive: true });
    return report;
  };
  return await claim(work, fillOnce);
}

/** Does what only one process may do at a time with the folder of an attempt. Throws `AlreadyRunning`. */
async function claim<T>(work: string, use: () => Promise<T>): Promise<T> {
  // Hidden: the lock is a link, and the inbox names links that are no dumps.
  return await withLock(work.replace(/part$/, 'claim'), use, (pid) => {
    const [source, date] = [basename(dirname(work)), basename(work).slice(1, -'.part'.length)];
    throw new AlreadyRunning(`Process ${pid} is fetching ${source} of ${date}`);
  });
}

/** Removes what attempts at earlier days have left, unless one of them is under way. */
export async function clearEarlier({ inbox, work }: DumpFolder): Promise<void> {
  const names = (await readdir(inbox)).filter((name) => /^\.[\d-]{10}\.part$/.test(name));
  for (const name of names) {
    const path = join(inbox, name);
    if (path >= work) continue;
    await claim(path, () => rm(path, { recursive: true, force: true })).catch((error: unknown) => {
      if (!(error instanceof AlreadyRunning)) throw error;
    });
  }
}

/** Writes a file that appears whole or not at all, also after a power cut. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { flush: true });
  await rename(`${path}.new`, path);
}

/** Reads a file of lines, without blank ones; undefined when there is none. */
export async function readLines(path: string): Promise<string[] | undefined> {
  const text = await readText(path);
  return text?.split('\n').filter((line) => line !== '');
}

export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
