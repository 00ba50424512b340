import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip, createInflateRaw, crc32 } from 'node:zlib';
import * as yauzl from 'yauzl';
import { Refusal } from '../errors.ts';
import { figure } from '../written-figure.ts';

/**
 * The limits on the inflated size of an archive. An archive above a limit is refused as a zip bomb. The largest known
 * dump file, the stock of French establishments, inflates to about 11 GB, three to five times its archive's size.
 */
export const inflateBounds = {
  /** The maximum size of one inflated file, in bytes. */
  bytes: 64 * 1024 ** 3,
  /** The maximum ratio of inflated to compressed size, which is checked above `ratio_from_bytes` inflated bytes. */
  ratio: 200,
  ratio_from_bytes: 64 * 1024 ** 2,
};
export type InflateBounds = typeof inflateBounds;

/** The size of an inflated chunk, in bytes. A chunk wakes a thread, which takes as long as reading 100 records. */
const CHUNK_BYTES = 512 * 1024;
const STORED_BYTES = 256 * 1024;

/** Where the bytes of a dump file are on the disk, and how they are inflated. */
interface Stored {
  /** The offsets of the first and last byte of a zip file's member; absent if the whole file is read. */
  start?: number;
  end?: number;
  /** The stream that inflates the file's bytes; absent for an uncompressed file. */
  inflater?: Transform | undefined;
  /** The compressed size in bytes, which `ratio` compares with the inflated size; absent for an uncompressed file. */
  archive_bytes?: number;
  /** The member of a zip file; `readArchive` checks its size and CRC-32. (Gunzip itself checks a `.gz` file.) */
  member?: yauzl.Entry;
}

/**
 * Called after each chunk with the number of stored bytes read so far, and with the size and CRC-32 of the inflated
 * bytes. CRC-32 takes a third of the time of SHA-256, and a forged checksum gives an attacker no advantage.
 */
export type OnRead = (stored_bytes: number, size: number, crc: number) => void;

/**
 * Yields the bytes of a dump file: the only member of a `.zip`, an inflated `.gz`, or the file itself. Throws a
 * `Refusal` for an archive that is damaged, encrypted, larger than `bounds`, or holds several files.
 */
export async function* readArchive(
  path: string,
  bounds = inflateBounds,
  onRead: OnRead = () => undefined,
): AsyncGenerator<Buffer> {
  const file = basename(path);
  try {
    const { start, end, inflater, archive_bytes, member } = await locate(path, file);
    const highWaterMark = archive_bytes === undefined ? CHUNK_BYTES : STORED_BYTES;
    const source =
      archive_bytes === 0
        ? Readable.from([])
        : createReadStream(path, { start, end, highWaterMark });
    // The callback of `pipeline` is empty, because the `for await` loop throws any error and closes both streams.
    const bytes = inflater ? pipeline(source, inflater, () => undefined) : source;
    let size = 0;
    let crc = 0;
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (archive_bytes !== undefined) refuseBomb(size, archive_bytes, bounds);
      crc = crc32(chunk, crc);
      if ('bytesRead' in source) onRead(source.bytesRead, size, crc);
      yield chunk;
    }
    if (member && size !== member.uncompressedSize) {
      throw new Error(
        `${figure(size)} bytes instead of ${figure(member.uncompressedSize)}, truncated`,
      );
    }
    if (member && crc !== member.crc32) throw new Error('wrong CRC-32, the archive is damaged');
  } catch (cause) {
    throw new Refusal(`${file}: ${(cause as Error).message}`, { cause });
  }
}

async function locate(path: string, file: string): Promise<Stored> {
  if (/\.zip$/i.test(file)) return await locateMember(path);
  if (!/\.gz$/i.test(file)) return {};
  const { size } = await stat(path);
  return { inflater: createGunzip({ chunkSize: CHUNK_BYTES }), archive_bytes: size };
}

async function locateMember(path: string): Promise<Stored> {
  const zip = await yauzl.openPromise(path, { autoClose: false });
  try {
    const members: yauzl.Entry[] = [];
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) members.push(entry);
      if (members.length > 1) throw new Error('more than one file in the zip');
    }
    const [member] = members;
    if (!member) throw new Error('an empty zip file');
    if (member.isEncrypted()) throw new Error('an encrypted zip');
    const { compressedSize, compressionMethod } = member;
    if (compressionMethod !== 0 && compressionMethod !== 8) {
      throw new Error(`zip compression method ${compressionMethod} is not known`);
    }
    const header = await zip.readLocalFileHeaderPromise(member, { minimal: true });
    const start = header.fileDataStart;
    const end = start + compressedSize - 1;
    const inflater =
      compressionMethod === 8 ? createInflateRaw({ chunkSize: CHUNK_BYTES }) : undefined;
    return { start, end, archive_bytes: compressedSize, member, inflater };
  } finally {
    zip.close();
  }
}

function refuseBomb(size: number, archive_bytes: number, bounds: InflateBounds): void {
  if (size > bounds.bytes) {
    throw new Error(`inflates to more than ${figure(bounds.bytes)} bytes, the limit`);
  }
  if (size > bounds.ratio_from_bytes && size > archive_bytes * bounds.ratio) {
    throw new Error(`inflates to more than ${bounds.ratio} times its size, which no report does`);
  }
}
