import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import pLimit from 'p-limit';
import { hashFile } from './file-hash.ts';
import { Refusal, WrongUsage } from '../errors.ts';
import type { Source } from '../sources/source.ts';

/** Files that are hashed in parallel. */
const HASHED_FILES = 4;

/** One file of a dump, on the disk. */
export interface DumpFile {
  /** Position in the dump, from 0, in the order of `file_key`. */
  file_no: number;
  /** Which part of the dump it is, such as a voivodeship. */
  file_key: string;
  /** Its path below the dump's folder. */
  file: string;
  path: string;
  byte_count: number;
  /** Milliseconds since 1970: tells whether the file was written to while it was read. */
  modified_ms: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface Dump {
  files: DumpFile[];
  /** Names of files in the folder that are no part of the dump. */
  ignored: string[];
}

/** A file that was not read yet. */
export type ListedFile = Omit<DumpFile, 'sha256'>;

export type ListedDump = Omit<Dump, 'files'> & { files: ListedFile[] };

/**
 * Lists a dump, a folder or one file.
 * Throws `WrongUsage` when there is none, and a `Refusal` for two files of one part.
 */
export async function listDump(source: Source, path: string): Promise<ListedDump> {
  const { files, ignored } = identify(source, await listFiles(path, source.format === 'document'));
  if (files.length === 0) {
    throw new WrongUsage(`${path}: no file of a ${source.name} dump in it`);
  }
  return { ignored, files: await Promise.all(files.map(measure)) };
}

/**
 * Takes the SHA-256 of every part of a dump.
 * Throws a `Refusal` when a file cannot be read.
 */
export async function hashDump({ ignored, files }: ListedDump): Promise<Dump> {
  const limit = pLimit(HASHED_FILES);
  const hashed = files.map((file) =>
    limit(async (): Promise<DumpFile> => {
      const sha256 = await hashFile(file.path).catch((cause: Error) => {
        throw new Refusal(`${file.file}: ${cause.message}`, { cause });
      });
      return { ...file, sha256 };
    }),
  );
  return { ignored, files: await Promise.all(hashed) };
}

/** Lists a dump, and takes the SHA-256 of its parts. */
export async function readDump(source: Source, path: string): Promise<Dump> {
  return await hashDump(await listDump(source, path));
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

/** Paths, and what they are below the dump's folder. Folders are looked into only where `isDeep`. */
async function listFiles(path: string, isDeep: boolean): Promise<Omit<Part, 'file_key'>[]> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') throw new WrongUsage(`${path}: no such file`, { cause });
    throw new Refusal(`${path}: ${cause.message}`, { cause });
  });
  if (!found.isDirectory()) return [{ path, file: basename(path).normalize('NFC') }];
  const entries = await readdir(path, { withFileTypes: true, recursive: isDeep }).catch(
    (cause: Error) => {
      throw new Refusal(`${path}: ${cause.message}`, { cause });
    },
  );
  if (entries.length === 0) throw new WrongUsage(`${path}: an empty folder`);
  return entries
    .filter((entry) => !isDeep || !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: file, file: relative(path, file).normalize('NFC') }));
}

function identify(source: Source, found: Omit<Part, 'file_key'>[]) {
  const parts = new Map<string, Part>();
  const ignored: string[] = [];
  for (const { path, file } of found) {
    const file_key = source.identifyFile(file);
    if (file_key === null) {
      ignored.push(file);
      continue;
    }
    const other = parts.get(file_key);
    if (other) throw new Refusal(`${other.file} and ${file}: two files for one part of the dump`);
    parts.set(file_key, { file_key, file, path });
  }
  const files = [...parts.values()].toSorted((a, b) => (a.file_key < b.file_key ? -1 : 1));
  return { files, ignored: ignored.toSorted() };
}

async function measure(part: Part, file_no: number): Promise<ListedFile> {
  const found = await stat(part.path).catch((cause: Error) => {
    throw new Refusal(`${part.file}: ${cause.message}`, { cause });
  });
  // A pipe would never end, a folder cannot be read.
  if (!found.isFile()) throw new Refusal(`${part.file}: not a regular file`);
  return { ...part, file_no, byte_count: found.size, modified_ms: found.mtimeMs };
}
