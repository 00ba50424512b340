import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';

/**
 * Writes a complete file that its owner alone can read; an error leaves no file.
 *
 * @param name moves or links the complete draft to the path of the file, such as `rename` or `link`
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
