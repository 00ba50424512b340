import type { Logger } from 'pino';
import type { Database } from '../../sql/database.ts';
import { fetchDue, type FetchOutcome } from '../fetch/due.ts';
import { readFetchEnvironment } from '../fetch/environment.ts';
import { ingestInbox, type Outcome } from './inbox.ts';

export interface NightsOptions {
  environment: { inboxDir: string };
  logger: Logger;
  signal: AbortSignal;
  /** Whether the registries that are set up are asked first. */
  isFetching?: boolean | undefined;
}

/** What was fetched, where it was asked for, and every night that was due. */
export interface Nights {
  fetched?: FetchOutcome[];
  runs: Outcome[];
}

/** Fetches what is due, where that is asked for, and takes every dump of the inbox that is due. */
export async function runNights(
  db: Database,
  { environment: { inboxDir }, logger, signal, isFetching }: NightsOptions,
): Promise<Nights> {
  if (!isFetching) return { runs: await ingestInbox(db, logger, inboxDir, signal) };
  const settings = readFetchEnvironment();
  const fetched = await fetchDue({ db, inboxDir, settings, logger, now: new Date(), signal });
  return { fetched, runs: await ingestInbox(db, logger, inboxDir, signal) };
}
