import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient } from 'pg';
import { inSnapshot } from '../../sql/connection/database.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { isCancelled } from '../../sql/connection/readers.ts';
import { type Format, writers } from '../../sql/export/formats.ts';
import { lifetimes } from '../figures/lifetimes.ts';
import type { Context } from '../http/context.ts';
import { unavailable } from '../http/errors.ts';
import { queryOf, type View } from './views.ts';

/** The maximum size in bytes of one downloaded file, and also of all cached files together. */
const room_bytes = 64 * 1024 ** 2;

const findVersion = `select from registry.run where run_id = $1 and state = 'published'`;

export interface FileOfDay {
  view: View;
  date: string;
  /** The codes of the countries whose rows the file contains. */
  countries: string[];
  format: Format;
  /** The version of the file: the highest number of the published runs whose dump date is at most `date`. */
  version: string;
}

type Named = Omit<FileOfDay, 'countries' | 'version'> & { country: string | undefined };

/**
 * Returns the name under which a client saves a file. A file of all countries has no country in its name. routes.ts
 * sets the other headers, such as the content type.
 */
export function fileNameOf({ view, country, date, format }: Named): string {
  const name = [view, ...(country ? [country.toUpperCase()] : []), date].join('-');
  return `${name}.${format}`;
}

export interface DownloadOptions extends Context {
  /** The public address of the API, without a slash at the end. */
  baseUrl: string;
  /** The connection pools for downloads: first the pools of the standbys, last the pool of the primary server. */
  downloadPools: readonly Pool[];
}

/** Returns a function that makes and caches files; a file is complete before it is sent, so clients hold no session. */
export function createFiles({ downloadPools, readers, SUPPRESS_BELOW }: DownloadOptions) {
  const kept = new LRUCache<string, Buffer, FileOfDay>({
    maxSize: room_bytes,
    sizeCalculation: ({ length }) => length,
    ttl: lifetimes.download_ms,
    // A file that is evicted from the cache while it is made is still sent.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: file }) => make(file),
  });

  async function write(client: PoolClient, file: FileOfDay): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    let size = 0;
    const query = await queryOf(client, file, SUPPRESS_BELOW);
    await writers[file.format](client, query, (bytes) => {
      size += bytes.length;
      parts.push(bytes);
      if (size <= room_bytes) return Promise.resolve();
      const message = 'The file is too large for a download: ask the operator for an export.';
      return Promise.reject(unavailable(message));
    });
    return Buffer.concat(parts);
  }

  /** Reads a file's rows from the first available standby that has the file's version, else from the primary server. */
  async function make(file: FileOfDay): Promise<Buffer> {
    const states = readers.states();
    const up = downloadPools.slice(0, -1).filter((_, at) => states[at]?.is_up);
    for (const pool of up) {
      try {
        const content = await inSnapshot(pool, async (client) => {
          const isThere = await client.query(findVersion, [file.version]);
          return isThere.rowCount === 1 ? write(client, file) : undefined;
        });
        if (content) return content;
      } catch (error) {
        if (!isLostConnection(error) && !isCancelled(error)) throw error;
      }
    }
    return inSnapshot(downloadPools.at(-1)!, (client) => write(client, file));
  }

  return (file: FileOfDay): Promise<Buffer> =>
    kept.forceFetch(Object.values(file).join(' '), { context: file });
}
