import type { PoolClient } from 'pg';

/** Takes the next bytes of a file; waits until the receiver has taken them. */
export type Put = (bytes: Uint8Array) => Promise<void>;

/** Writes the rows of a query as a file, in bounded memory; returns the number of rows. */
export type WriteRows = (client: PoolClient, query: string, put: Put) => Promise<number>;
