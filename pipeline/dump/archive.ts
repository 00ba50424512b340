import { createReadStream, type ReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip, createInflateRaw, crc32 } from 'node:zlib';
import * as yauzl from 'yauzl';
import { Refusal } from '../errors.ts';

/** Bounds on what an archive may inflate to; beyond them it is taken for a bomb. */
export interface InflateBounds {
  /** Bytes of one inflated file. */
  bytes: number;
  /** Inflated bytes for each byte of the archive, looked at past `ratio_from_bytes`. */
  ratio: number;
  ratio_from_bytes: number;
}

/** Tells how much of a file was read so far, as it is stored. */
export class StoredBytes {
  #stream: ReadStream | undefined;

  get count(): number {
    return this.#stream?.bytesRead ?? 0;
  }

  of(stream: ReadStream): ReadStream {
    this.#stream = stream;
    return stream;
  }
}

/** The largest report of the country is about 0.2 GB and shrinks to a third. */
export const inflateBounds: InflateBounds = {
  bytes: 4 * 1024 ** 3,
  ratio: 200,
  ratio_from_bytes: 64 * 1024 ** 2,
};

/** What is inflated at a time: every piece wakes another thread, which costs as much as 100 records. */
const CHUNK_BYTES = 512 * 1024;
/** What is read of an archive at a time. */
const STORED_BYTES = 256 * 1024;
const ZIP_MAGIC = Buffer.from('PK');
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * The bytes of a dump file: the only member of a `.zip`, an inflated `.gz`, or the file itself.
 * Reads to the end, and compares size and CRC-32 there.
 *
 * Throws a `Refusal` that names the file: not an archive, truncated, wrong CRC, several members,
 * encrypted, or larger than `bounds`.
 */
export async function* readArchive(
  path: string,
  bounds: InflateBounds = inflateBounds,
  stored = new StoredBytes(),
): AsyncGenerator<Buffer> {
  const file = basename(path);
  try {
    if (/\.zip$/i.test(path)) yield* readZip(path, bounds, stored);
    else if (/\.gz$/i.test(path)) yield* readGzip(path, bounds, stored);
    else yield* readPlain(path, stored);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal(`${file}: ${(cause as Error).message}`, { cause });
  }
}

async function* readPlain(path: string, stored: StoredBytes): AsyncGenerator<Buffer> {
  const start = await firstBytes(path, 4);
  if (start.equals(Buffer.from('PK\x03\x04')) || start.subarray(0, 2).equals(GZIP_MAGIC)) {
    throw new Refusal(`${basename(path)}: an archive under the name of a plain file`);
  }
  yield* stored.of(createReadStream(path, { highWaterMark: CHUNK_BYTES }));
}

async function* readGzip(
  path: string,
  bounds: InflateBounds,
  stored: StoredBytes,
): AsyncGenerator<Buffer> {
  const file = basename(path);
  if (!(await firstBytes(path, 2)).equals(GZIP_MAGIC))
    throw new Refusal(`${file}: not a gzip file`);
  const { size } = await stat(path);
  // Gunzip itself compares the CRC-32 and the size at the end.
  const source = stored.of(createReadStream(path, { highWaterMark: STORED_BYTES }));
  const inflated = source.pipe(createGunzip({ chunkSize: CHUNK_BYTES }));
  source.on('error', (error) => inflated.destroy(error));
  try {
    yield* bounded(inflated, file, size, bounds);
  } finally {
    source.destroy();
    inflated.destroy();
  }
}

async function* readZip(
  path: string,
  bounds: InflateBounds,
  stored: StoredBytes,
): AsyncGenerator<Buffer> {
  const file = basename(path);
  if (!(await firstBytes(path, 2)).equals(ZIP_MAGIC)) throw new Refusal(`${file}: not a zip file`);
  const zip = await yauzl.openPromise(path, { autoClose: false });
  try {
    const members: yauzl.Entry[] = [];
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) members.push(entry);
      if (members.length > 1) break;
    }
    const [member] = members;
    if (!member) throw new Refusal(`${file}: an empty zip file`);
    if (members.length > 1) throw new Refusal(`${file}: more than one file in the zip`);
    yield* readMember(zip, member, path, bounds, stored);
  } finally {
    zip.close();
  }
}

async function* readMember(
  zip: yauzl.ZipFile,
  member: yauzl.Entry,
  path: string,
  bounds: InflateBounds,
  read: StoredBytes,
): AsyncGenerator<Buffer> {
  const file = basename(path);
  if (member.isEncrypted()) throw new Refusal(`${file}: an encrypted zip`);
  if (member.compressionMethod !== 0 && member.compressionMethod !== 8) {
    throw new Refusal(`${file}: zip compression method ${member.compressionMethod} is not known`);
  }
  const isDeflated = member.compressionMethod === 8;
  const stored = await openStored(zip, member, path, read);
  const inflated = isDeflated ? stored.pipe(createInflateRaw({ chunkSize: CHUNK_BYTES })) : stored;
  if (inflated !== stored) stored.on('error', (error) => inflated.destroy(error));
  let crc = 0;
  let size = 0;
  try {
    for await (const chunk of bounded(inflated, file, member.compressedSize, bounds)) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      yield chunk;
    }
  } finally {
    stored.destroy();
    inflated.destroy();
  }
  if (size !== member.uncompressedSize) {
    throw new Refusal(`${file}: ${size} bytes instead of ${member.uncompressedSize}, truncated`);
  }
  if (crc !== member.crc32) throw new Refusal(`${file}: wrong CRC-32, the archive is damaged`);
}

/** The bytes of a member as they are stored. */
async function openStored(
  zip: yauzl.ZipFile,
  member: yauzl.Entry,
  path: string,
  read: StoredBytes,
): Promise<Readable> {
  if (member.compressedSize === 0) return Readable.from([]);
  const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(member, { minimal: true });
  const end = start + member.compressedSize - 1;
  return read.of(createReadStream(path, { start, end, highWaterMark: STORED_BYTES }));
}

async function* bounded(
  source: AsyncIterable<unknown>,
  file: string,
  archive_bytes: number,
  bounds: InflateBounds,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bounds.bytes) {
      throw new Refusal(`${file}: inflates to more than ${bounds.bytes} bytes, the limit`);
    }
    if (size > bounds.ratio_from_bytes && size > archive_bytes * bounds.ratio) {
      throw new Refusal(
        `${file}: inflates to more than ${bounds.ratio} times its size, which no report does`,
      );
    }
    yield chunk;
  }
}

async function firstBytes(path: string, count: number): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
