import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';

/**
 * Writes a file that its owner alone can read, whole or not at all.
 *
 * @param name gives the complete draft the name of the file, such as `rename` or `link`
 */
export async function writeSecretFile(
  file: string,
  text: string,
  name: (draft: string, file: string) => Promise<void>,
): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await name(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
