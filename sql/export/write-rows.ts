import type { PoolClient } from 'pg';

/** Takes bytes of a file, and waits until they are taken. */
export type Put = (bytes: Uint8Array) => Promise<void>;

/** Writes the rows of a query as a file, in bounded memory; returns their number. */
export type WriteRows = (client: PoolClient, query: string, put: Put) => Promise<number>;
