import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const FILE_NAME = 'secret-key';
const KEY_BYTES = 32;
/** A key made of fewer characters could be guessed from the signatures that are mailed. */
export const SHORTEST_SECRET_KEY = 32;

/**
 * The key that signs one-time tokens: `SECRET_KEY` where it is given, else the one in
 * `<dataDir>/secret-key`, which is made when it is missing (64 hexadecimal digits, readable by its
 * owner alone). Processes that start at once all get the same.
 *
 * Throws a sentence when the file holds no key.
 */
export async function readSecretKey(dataDir: string, SECRET_KEY?: string): Promise<string> {
  if (SECRET_KEY) return SECRET_KEY;
  const file = join(dataDir, FILE_NAME);
  const key = (await readKey(file)) ?? (await createKey(dataDir, file));
  if (key.length < SHORTEST_SECRET_KEY) {
    throw new Error(`${file} holds no key; remove it, and a new one is made.`);
  }
  return key;
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a key beside the file, and names it so only if no other process was faster. */
async function createKey(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${randomBytes(KEY_BYTES).toString('hex')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}
