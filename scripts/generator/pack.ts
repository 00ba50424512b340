import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ZipFile } from 'yazl';

export const textFormats = ['zip', 'csv', 'csv.gz'] as const;

export type TextFormat = (typeof textFormats)[number];

const compressionLevel = 1;

/** Writes a CSV file in a format; the same bytes give the same file on every machine. */
export async function pack(
  csv: Readable,
  path: string,
  format: TextFormat,
  memberName: string,
): Promise<void> {
  const packed = createWriteStream(path);
  if (format === 'csv') await pipeline(csv, packed);
  else if (format === 'csv.gz') {
    await pipeline(csv, createGzip({ level: compressionLevel }), packed);
  } else {
    const zip = new ZipFile();
    csv.on('error', (error) => packed.destroy(error));
    zip.addReadStream(csv, memberName, {
      compressionLevel,
      mode: 0o100644,
      // Only the DOS form, with a date made from local time, is the same in every time zone.
      mtime: new Date(2020, 0, 1),
      forceDosTimestamp: true,
    });
    zip.end();
    await pipeline(zip.outputStream, packed);
  }
}
