import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { Refusal, WrongUsage } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import type { Source } from '../sources/source.ts';

const HASHED_FILES = 4;
const PIECE_BYTES = 256 * 1024;

export interface DumpFile {
  /** The index of the file among the files of the dump, ordered by `file_key`. */
  file_no: number;
  /** The key of the part of the dump that the file holds, such as the voivodeship `opolskie`. */
  file_key: string;
  /** The path of the file, relative to the dump's folder. */
  file: string;
  path: string;
  byte_count: number;
  /** The time of the file's last modification, in ms since 1970, which shows a change of the file during reading. */
  modified_ms: number;
  sha256: string;
}

export interface Dump {
  /** The description of the source's dumps; for a source with full dumps and deltas, of its dumps of this kind. */
  source: Source;
  files: DumpFile[];
  /** The paths, relative to the dump's folder, of files in the folder that are no part of the dump. */
  ignored: string[];
}

/**
 * Lists the files of a dump, and finds whether the dump is full or a delta. Throws `WrongUsage` for a folder without a
 * dump, and a `Refusal` for an ambiguous or incomplete dump.
 */
export async function listDump(source: Source, path: string) {
  const delta = source.format === 'table' ? source.delta : undefined;
  const isDeep = source.format === 'document' || delta !== undefined;
  const found = await listFiles(path, isDeep);
  const parts = findParts(source, found);
  const deltaParts = delta ? findParts(delta, found) : new Map<string, Found>();
  const [part] = parts.values();
  const [deltaPart] = deltaParts.values();
  if (part && deltaPart) {
    throw new Refusal(
      `${part.file} is part of a full dump, and ${deltaPart.file} of a delta: ` +
        'each needs a folder of its own',
    );
  }
  const kind = deltaPart ? delta! : source;
  const taken = deltaPart ? deltaParts : parts;
  if (taken.size === 0) throw new WrongUsage(`${path}: no file of a ${source.name} dump in it`);
  if (kind.format === 'table' && kind.join) {
    for (const { file_key } of [kind.join.main, kind.join.details]) {
      if (taken.has(file_key)) continue;
      throw new Refusal(`${file_key} is missing: a dump needs it beside ${part!.file}`);
    }
  }
  const sorted = [...taken].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const measured = sorted.map(async ([file_key, { file, path: place }], file_no) => {
    const stats = await lstat(place).catch(refuse(file));
    // Reading a named pipe would never end, and a symbolic link may point to a file outside the dump.
    if (!stats.isFile()) throw new Refusal(`${file}: not a regular file`);
    const { size: byte_count, mtimeMs: modified_ms } = stats;
    return { file, path: place, file_no, file_key, byte_count, modified_ms };
  });
  const files = await Promise.all(measured);
  const places = new Set(taken.values());
  const ignored = found.filter((file) => !places.has(file));
  return { source: kind, files, ignored: ignored.map(({ file }) => file).toSorted() };
}

/** Returns the kind of a dump, `full` or `delta`; if the files cannot be listed, returns the source's usual kind. */
export async function findKind(source: Source, path: string): Promise<Source['dump_kind']> {
  if (source.format === 'document' || !source.delta) return source.dump_kind;
  const listed = await listDump(source, path).catch(() => ({ source }));
  return listed.source.dump_kind;
}

/** Returns the files of a dump by their part (`file_key`). Throws a `Refusal` when two files hold the same part. */
function findParts(source: Source, files: readonly Found[]): Map<string, Found> {
  const parts = new Map<string, Found>();
  for (const found of files) {
    const file_key = source.identifyFile(found.file);
    if (file_key === null) continue;
    const other = parts.get(file_key)?.file;
    if (other) throw new Refusal(`${other} and ${found.file}: two files for one part of the dump`);
    parts.set(file_key, found);
  }
  return parts;
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
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
    hash.update(piece as Buffer);
  }
  return hash.digest('hex');
}

/** Returns a handler of file errors, which throws an `Error` for a missing right or broken disk, else a `Refusal`. */
function refuse(file: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    const isFault = ['EACCES', 'EPERM', 'EIO'].includes(cause.code ?? '');
    throw new (isFault ? Error : Refusal)(`${file}: ${cause.message}`, { cause });
  };
}

/** Throws a `Refusal` when a file was changed or removed after `listDump` listed it. */
export async function assertUntouched(files: readonly DumpFile[]): Promise<void> {
  for (const { path, file, byte_count, modified_ms } of files) {
    const now = await lstat(path).catch(() => undefined);
    if (now?.size !== byte_count || now.mtimeMs !== modified_ms) {
      throw new Refusal(`${file}: it changed while it was read`);
    }
  }
}

type Found = Pick<DumpFile, 'file' | 'path'>;

/** Returns the file at a path, or the files in a folder. Subfolders are searched only if `isDeep` is true. */
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
