import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient } from 'pg';
import { inSnapshot } from '../../sql/connection/database.ts';
import { type Format, writers } from '../../sql/export/formats.ts';
import type { Context } from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import { queryOf, type View } from './views.ts';

/** What the files that are kept may take together, and one file alone. */
const room_bytes = 64 * 1024 ** 2;

/** A file is made anew after an hour, as caches ask for it anew. */
const kept_ms = 3_600_000;

export interface FileOfDay {
  view: View;
  date: string;
  format: Format;
  /** Changes with what is published up to the day. */
  version: string;
}

const tooLarge = {
  message: 'The file is too large for a download: ask the operator for an export.',
};

export interface FilesOptions extends Context {
  /** Its sessions are the files that are made at a time, its patience is the longest query. */
  downloadPool: Pool;
}

/**
 * Makes the files. A file is written whole before it is sent: a client that reads slowly holds no session,
 * and nobody gets half a file. It has a row a group of entries, and no more rows than the dictionaries have
 * groups. Files that were asked for last are kept.
 */
export function createFiles({ downloadPool, suppressBelow }: FilesOptions) {
  const kept = new LRUCache<string, Buffer>({
    maxSize: room_bytes,
    sizeCalculation: ({ length }) => length,
    ttl: kept_ms,
  });

  async function write(client: PoolClient, { view, date, format }: FileOfDay): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    let size = 0;
    const query = await queryOf(client, view, date, suppressBelow);
    await writers[format](client, query, (bytes) => {
      size += bytes.length;
      parts.push(bytes);
      return size > room_bytes ? Promise.reject(new HttpError(503, tooLarge)) : Promise.resolve();
    });
    return Buffer.concat(parts);
  }

  return async (file: FileOfDay): Promise<Buffer> => {
    const key = Object.values(file).join(' ');
    const content =
      kept.get(key) ?? (await inSnapshot(downloadPool, (client) => write(client, file)));
    kept.set(key, content);
    return content;
  };
}
