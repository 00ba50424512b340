import { hash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ClientConfig } from 'pg';

/** The socket and the folder through which all API processes of a machine share one search index. */
export interface SearchPlace {
  /** A hash of the database servers and the index's source code; processes share an index if their hashes are equal. */
  name: string;
  /** The database servers from which the index may be loaded, the primary server last. */
  servers: readonly ClientConfig[];
  socket: string;
  /** The folder of files from which a new index process restores the index; undefined: the index is not saved. */
  folder: string | undefined;
}

const ownUid = process.getuid?.() ?? 0;

/** The SQL files that determine the content of the index. */
const queries = ['api/search_rows.sql', 'function/05_text.sql', 'function/09_name.sql'].map(
  (file) => `../../sql/${file}`,
);

/** Returns the name, the database servers, the socket and the folder of the search index. */
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

/** Creates the folder of the index's socket if it is missing. Throws if another user can access the folder. */
export async function makeSocketFolder({ socket }: SearchPlace): Promise<void> {
  const directory = dirname(socket);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory() || found.uid !== ownUid || (found.mode & 0o077) !== 0) {
    throw new Error(`The folder ${directory} must belong to the user ${ownUid} alone.`);
  }
}
