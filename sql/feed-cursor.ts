import { crc32 } from 'node:zlib';
import { z } from 'zod';

/** The scope of a feed: events of the companies that the account watches (`watched`), or of all companies (`all`). */
export const feedScope = z.enum(['watched', 'all']);

/** A position in a feed: the client has read all events up to and including `event_id`; 0 is the beginning. */
export interface FeedPosition {
  scope: z.output<typeof feedScope>;
  event_id: string;
}

const form = /^(watched|all):(0|[1-9]\d{0,17}):/;

/** Returns a position as an opaque text for clients (a cursor), with a checksum that detects wrong characters. */
export function writeCursor({ scope, event_id }: FeedPosition): string {
  const text = `${scope}:${event_id}`;
  return Buffer.from(`${text}:${crc32(text).toString(36)}`).toString('base64url');
}

/** Returns the position in a cursor; undefined for an invalid cursor, which api/events/feed.ts answers with a 422. */
export function readCursor(cursor: string): FeedPosition | undefined {
  const [, scope, event_id] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (event_id === undefined) return undefined;
  const position = { scope: feedScope.parse(scope), event_id };
  // The position is encoded again and compared with the cursor, because the decoder ignores characters outside of
  // base64url, and `form` ignores the checksum.
  return writeCursor(position) === cursor ? position : undefined;
}
