import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';

/** Where the processes of a machine find their index. */
export interface SearchPlace {
  /** Where the companies may be read, the writer last. */
  connections: readonly ClientConfig[];
  socket: string;
  /** Where the index is kept for the next process that has it; absent: nowhere. */
  folder: string | undefined;
}

const here = new URL('.', import.meta.url);

/** What the index is made by, besides the files of this folder. */
const otherSources = ['../../sql/api/search_rows.sql', '../../sql/function/01_text.sql'];

/** A digest of the database and of the code of the index: processes that differ in either share nothing. */
async function digest(connections: readonly ClientConfig[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(connections));
  const own = (await readdir(here)).filter((name) => /^search-[a-z]+\.ts$/.test(name)).toSorted();
  for (const file of [...own, ...otherSources]) hash.update(await readFile(new URL(file, here)));
  return hash.digest('hex').slice(0, 16);
}

/** Throws a sentence where the folder of the socket is that of another user. */
export async function findPlace(
  connections: readonly ClientConfig[],
  folder: string | undefined,
): Promise<SearchPlace> {
  const name = await digest(connections);
  const uid = process.getuid?.() ?? 0;
  const directory = join(tmpdir(), `company-registry-${uid}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`The folder ${directory} must belong to the user ${uid} alone.`);
  }
  const socket = join(directory, `${name}.sock`);
  return { connections, socket, folder: folder && join(folder, name) };
}
