import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SHORTEST_SECRET_KEY } from '../process/environment.ts';
import { readText } from '../process/system-process.ts';
import { writeSecretFile } from './secret-file.ts';

/**
 * Returns the key that signs one-time tokens: `SECRET_KEY` if it is set, else the key in `<dataDir>/secret-key`.
 * Creates a missing file with a key of 64 hexadecimal digits, which only its owner can read. If several processes start
 * at the same time, they get the same key.
 *
 * Throws a readable error when the key in the file is too short.
 */
export async function readSecretKey(dataDir: string, SECRET_KEY?: string): Promise<string> {
  if (SECRET_KEY) return SECRET_KEY;
  const file = join(dataDir, 'secret-key');
  const key = (await readText(file))?.trim() ?? (await createKey(dataDir, file));
  if (key.length < SHORTEST_SECRET_KEY) {
    throw new Error(`${file} holds no key; remove it, and a new one is made.`);
  }
  return key;
}

/** Creates the file of the key if no other process has created the file, and returns the key in the file. */
async function createKey(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true }).catch((cause: Error) => {
    throw new Error(`The data directory ${dataDir} cannot be made: ${cause.message}`, { cause });
  });
  const key = `${randomBytes(32).toString('hex')}\n`;
  await writeSecretFile(file, key, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return (await readFile(file, 'utf8')).trim();
}
