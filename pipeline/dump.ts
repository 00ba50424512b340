import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import { Refusal } from './refusal.ts';
import type { Source } from './source.ts';

/** One file of a dump, on the disk. */
export interface DumpFile {
  /** Position in the dump, from 0, in the order of `file_key`. */
  file_no: number;
  /** Which part of the dump it is, such as a voivodeship. */
  file_key: string;
  /** Its name without the folder. */
  file: string;
  path: string;
  byte_count: number;
  /** Milliseconds since 1970: tells that somebody wrote to the file while it was read. */
  modified_ms: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface Dump {
  files: DumpFile[];
  /** Names of files in the folder that are no part of the dump. */
  ignored: string[];
}

/**
 * Lists a dump, a folder or one file, and takes the SHA-256 of every part.
 * Throws a `Refusal` when there is none, or two files for one part.
 */
export async function readDump(source: Source, path: string): Promise<Dump> {
  const { files, ignored } = await identify(source, await listFiles(path));
  if (files.length === 0) {
    throw new Refusal(`${path}: no file of a ${source.name} dump in it`);
  }
  const limit = pLimit(4);
  return {
    ignored,
    files: await Promise.all(files.map((file, file_no) => limit(() => measure(file, file_no)))),
  };
}

/** Throws a `Refusal` when a file was written to since it was measured. */
export async function assertUntouched(files: readonly DumpFile[]): Promise<void> {
  for (const { path, file, byte_count, modified_ms } of files) {
    const now = await stat(path).catch(() => undefined);
    if (now?.size !== byte_count || now.mtimeMs !== modified_ms) {
      throw new Refusal(`${file}: somebody wrote to it while it was read`);
    }
  }
}

interface Part {
  file_key: string;
  file: string;
  path: string;
}

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new Refusal(`${path}: ${cause.code === 'ENOENT' ? 'no such file' : cause.message}`, {
      cause,
    });
  });
  if (!found.isDirectory()) return [path];
  const names = await readdir(path).catch((cause: Error) => {
    throw new Refusal(`${path}: ${cause.message}`, { cause });
  });
  if (names.length === 0) throw new Refusal(`${path}: an empty folder`);
  return names.map((name) => join(path, name));
}

async function identify(source: Source, paths: string[]) {
  const parts = new Map<string, Part>();
  const ignored: string[] = [];
  for (const path of paths) {
    const file = basename(path).normalize('NFC');
    const file_key = source.identifyFile(file);
    if (file_key === null) {
      ignored.push(file);
      continue;
    }
    const other = parts.get(file_key);
    if (other) throw new Refusal(`${other.file} and ${file}: two files for '${file_key}'`);
    parts.set(file_key, { file_key, file, path });
  }
  const files = [...parts.values()].toSorted((a, b) => (a.file_key < b.file_key ? -1 : 1));
  return { files, ignored: ignored.toSorted() };
}

async function measure(part: Part, file_no: number): Promise<DumpFile> {
  const hash = createHash('sha256');
  try {
    const found = await stat(part.path);
    // A pipe would never end, a folder cannot be read.
    if (!found.isFile()) throw new Refusal(`${part.file}: not a regular file`);
    await pipeline(createReadStream(part.path, { highWaterMark: 1024 * 1024 }), hash);
    return {
      ...part,
      file_no,
      byte_count: found.size,
      modified_ms: found.mtimeMs,
      sha256: hash.digest('hex'),
    };
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal(`${part.file}: ${(cause as Error).message}`, { cause });
  }
}
