import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';

/**
 * Writes a file that only its owner can read; after an error no part of the file remains.
 *
 * @param name a function that moves or links the complete draft to the path of the file, such as `rename` or `link`
 */
export async function writeSecretFile(
  file: string,
  content: string | Buffer,
  name: (draft: string, file: string) => Promise<void>,
): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { flag: 'wx', mode: 0o600, flush: true });
    await name(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
