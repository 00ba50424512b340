import { createHash } from 'node:crypto';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { Refusal, WrongUsage } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import type { Source } from '../sources/source.ts';

const HASHED_FILES = 4;
const PIECE_BYTES = 256 * 1024;

export interface DumpFile {
  /** Position in the dump, from 0, in the order of `file_key`. */
  file_no: number;
  /** Which part of the dump it is, such as a voivodeship. */
  file_key: string;
  /** Its path below the dump's folder. */
  file: string;
  path: string;
  byte_count: number;
  /** Milliseconds since 1970. A change reveals a write during the reading. */
  modified_ms: number;
  sha256: string;
}

export interface Dump {
  files: DumpFile[];
  /** Files in the folder that do not belong to the dump. */
  ignored: string[];
}

/** Lists the files of a dump. Throws `WrongUsage` for no dump, and a `Refusal` for an unclear one. */
export async function listDump(source: Source, path: string) {
  const parts = new Map<string, Found>();
  const ignored: string[] = [];
  for (const found of await listFiles(path, source.format === 'document')) {
    const file_key = source.identifyFile(found.file);
    if (file_key === null) {
      ignored.push(found.file);
      continue;
    }
    const other = parts.get(file_key)?.file;
    if (other) throw new Refusal(`${other} and ${found.file}: two files for one part of the dump`);
    parts.set(file_key, found);
  }
  if (parts.size === 0) throw new WrongUsage(`${path}: no file of a ${source.name} dump in it`);
  const sorted = [...parts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const measured = sorted.map(async ([file_key, found], file_no) => {
    const stats = await lstat(found.path).catch(refuse(found.file));
    // A pipe would never end, a folder cannot be read, and a link may lead to what is no dump.
    if (!stats.isFile()) throw new Refusal(`${found.file}: not a regular file`);
    return { ...found, file_no, file_key, byte_count: stats.size, modified_ms: stats.mtimeMs };
  });
  return { files: await Promise.all(measured), ignored: ignored.toSorted() };
}

/** Computes the SHA-256 of every file of a dump. Throws a `Refusal` for an unreadable file. */
export async function hashDump(listed: Awaited<ReturnType<typeof listDump>>): Promise<Dump> {
  const files = await inParallel(listed.files, HASHED_FILES, async (file) => {
    const sha256 = await hashFile(file.path).catch(refuse(file.file));
    return { ...file, sha256 };
  });
  return { ...listed, files };
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  // Reuses one buffer: a stream would leave as much garbage as the file has bytes.
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  await using file = await open(path);
  for (;;) {
    const { bytesRead } = await file.read(piece);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
  }
}

/** Makes a handler that throws a `Refusal`, or a fault for a missing permission or a broken disk. */
function refuse(file: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    const isFault = ['EACCES', 'EPERM', 'EIO'].includes(cause.code ?? '');
    throw new (isFault ? Error : Refusal)(`${file}: ${cause.message}`, { cause });
  };
}

export async function readDump(source: Source, path: string): Promise<Dump> {
  return await hashDump(await listDump(source, path));
}

/** Throws a `Refusal` when a file was changed or removed after `listDump`. */
export async function assertUntouched(files: readonly DumpFile[]): Promise<void> {
  for (const { path, file, byte_count, modified_ms } of files) {
    const now = await lstat(path).catch(() => undefined);
    if (now?.size !== byte_count || now.mtimeMs !== modified_ms) {
      throw new Refusal(`${file}: it changed while it was read`);
    }
  }
}

type Found = Pick<DumpFile, 'file' | 'path'>;

/** Looks into folders only where `isDeep`. */
async function listFiles(path: string, isDeep: boolean): Promise<Found[]> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') throw new WrongUsage(`${path}: no such file`, { cause });
    return refuse(path)(cause);
  });
  if (!found.isDirectory())
    return [{ path: await realpath(path), file: basename(path).normalize('NFC') }];
  const entries = await readdir(path, { withFileTypes: true, recursive: isDeep }).catch(
    refuse(path),
  );
  if (entries.length === 0) throw new WrongUsage(`${path}: an empty folder`);
  return entries
    .filter((entry) => !isDeep || !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: file, file: relative(path, file).normalize('NFC') }));
}
