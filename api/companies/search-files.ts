import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { Segment, type SegmentData } from './search-segment.ts';

/** The names of the files of a whole index, in the order of its segments. */
const list = 'segments.json';

/** Each version of the product has a folder. One that was not written to for so long is removed. */
const unused_ms = 30 * 86_400_000;

function fileOf({ head: { since, snapshot_no, from } }: Segment): string {
  return `${since}-${snapshot_no}-${from}`;
}

/** Keeps the segments of an index. The files hold personal data: only this user may read them. */
export async function saveSegments(folder: string, segments: readonly Segment[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const written = new Set(await readdir(folder));
  const names = segments.map(fileOf);
  for (const [at, name] of names.entries()) {
    if (!written.has(name)) await write(join(folder, name), serialize(segments[at]!.data));
  }
  await write(join(folder, list), JSON.stringify(names));
  for (const name of written) {
    if (name !== list && !names.includes(name)) await rm(join(folder, name), { force: true });
  }
}

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** The segments that were kept; none where a file is missing or broken. */
export async function readSegments(folder: string): Promise<Segment[]> {
  try {
    const names = JSON.parse(await readFile(join(folder, list), 'utf8')) as string[];
    const segments: Segment[] = [];
    for (const name of names) {
      const content = await readFile(join(folder, name));
      segments.push(new Segment(deserialize(content) as SegmentData));
    }
    return segments;
  } catch {
    return [];
  }
}

/** Removes what versions of the product have left that run no more. */
export async function removeUnused(folder: string): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    const other = join(dirname(folder), name);
    const { mtimeMs } = await stat(other);
    if (Date.now() - mtimeMs > unused_ms) await rm(other, { recursive: true });
  }
}
