import { hash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

const ownUid = process.getuid?.() ?? 0;

/** The files outside this folder on which the index depends. */
const queries = ['api/search_rows.sql', 'function/05_text.sql', 'function/09_name.sql'].map(
  (file) => `../../sql/${file}`,
);

/** Returns the place of the search index. */
export async function findPlace(
  servers: readonly ClientConfig[],
  folder: string | undefined,
): Promise<SearchPlace> {
  const here = import.meta.dirname;
  const sources = [...(await readdir(here)).toSorted(), ...queries];
  const texts = await Promise.all(sources.map((file) => readFile(join(here, file), 'utf8')));
  const name = hash('sha256', JSON.stringify([servers, texts])).slice(0, 16);
  const directory = join(tmpdir(), `company-registry-${ownUid}`);
  return { name, servers, socket: join(directory, `${name}.sock`), folder };
}

/**
 * Makes the folder of the socket, which the system may have removed with other old temporary files. Throws if another
 * user can enter the folder.
 */
export async function makeSocketFolder({ socket }: SearchPlace): Promise<void> {
  const directory = dirname(socket);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory() || found.uid !== ownUid || (found.mode & 0o077) !== 0) {
    throw new Error(`The folder ${directory} must belong to the user ${ownUid} alone.`);
  }
}
