import { crc32 } from 'node:zlib';
import { z } from 'zod';

/** The events in a feed: of the companies that the account watches, or of all companies. */
export const feedScope = z.enum(['watched', 'all']);

/** How far a feed was read: up to and including the event with this number, or 0. */
export interface FeedPosition {
  scope: z.output<typeof feedScope>;
  event_id: string;
}

const form = /^(watched|all):(0|[1-9]\d{0,17}):/;

/** Returns the position as clients keep it: an opaque text with a checksum, which detects a wrong character. */
export function writeCursor({ scope, event_id }: FeedPosition): string {
  const text = `${scope}:${event_id}`;
  return Buffer.from(`${text}:${crc32(text).toString(36)}`).toString('base64url');
}

/** Returns the position in a cursor; undefined for a cursor that no answer can have held. */
export function readCursor(cursor: string): FeedPosition | undefined {
  const [, scope, event_id] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (event_id === undefined) return undefined;
  const position = { scope: feedScope.parse(scope), event_id };
  // The decoder ignores characters outside of base64url, and the form ignores the checksum.
  return writeCursor(position) === cursor ? position : undefined;
}
