import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';

/** The place at which the processes of a machine find the search index that they share. */
export interface SearchPlace {
  /** A digest of the servers and of the index's source code: processes with another digest share no index. */
  name: string;
  /** The servers that may load the index, the writer last. */
  servers: readonly ClientConfig[];
  socket: string;
  /** The folder that keeps the index for the next index process; undefined: the index is not kept. */
  folder: string | undefined;
}

/** The files outside this folder on which the index depends. */
const queries = ['api/search_rows.sql', 'function/05_text.sql', 'function/08_entry.sql'].map(
  (file) => `../../sql/${file}`,
);

/** Returns the place of the search index. Throws if another user can enter the folder of its socket. */
export async function findPlace(
  servers: readonly ClientConfig[],
  folder: string | undefined,
): Promise<SearchPlace> {
  const hash = createHash('sha256').update(JSON.stringify(servers));
  const here = import.meta.dirname;
  const sources = [...(await readdir(here)).toSorted(), ...queries];
  for (const file of sources) hash.update(await readFile(join(here, file)));
  const name = hash.digest('hex').slice(0, 16);
  const uid = process.getuid?.() ?? 0;
  const directory = join(tmpdir(), `company-registry-${uid}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`The folder ${directory} must belong to the user ${uid} alone.`);
  }
  return { name, servers, socket: join(directory, `${name}.sock`), folder };
}
