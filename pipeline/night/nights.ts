import type { Logger } from 'pino';
import type { Database } from '../../sql/database.ts';
import type { FetchOutcome } from '../fetch/due.ts';
import { ingestInbox, inspectInbox, type Outcome } from './inbox.ts';

export interface NightsOptions {
  environment: { inboxDir: string; isInboxDefault: boolean };
  logger: Logger;
  signal: AbortSignal;
  /** Whether the registries that are set up are asked first. */
  isFetching?: boolean | undefined;
  onIgnored?: ((sentence: string) => void) | undefined;
  onFetched?: ((outcome: FetchOutcome) => void) | undefined;
  onOutcome?: ((outcome: Outcome) => void) | undefined;
}

/** What was fetched, where it was asked for, and every night that was due. */
export interface Nights {
  fetched?: FetchOutcome[];
  runs: Outcome[];
  /** Sentences on the folders of the inbox that are ignored. */
  ignored: string[];
}

/** Fetches where that is asked for, and takes every due dump. Throws `WrongUsage` without an inbox. */
export async function runNights(db: Database, options: NightsOptions): Promise<Nights> {
  const { environment, logger, signal, isFetching, onOutcome } = options;
  const { inboxDir, isInboxDefault } = environment;
  const ignored = await inspectInbox(inboxDir, isInboxDefault);
  for (const sentence of ignored) options.onIgnored?.(sentence);
  let fetched: FetchOutcome[] | undefined;
  if (isFetching) {
    const { fetchDue } = await import('../fetch/due.ts');
    const { readFetchEnvironment } = await import('../fetch/environment.ts');
    const settings = readFetchEnvironment();
    fetched = await fetchDue({ db, inboxDir, settings, logger, now: new Date(), signal });
    for (const outcome of fetched) options.onFetched?.(outcome);
  }
  const runs = await ingestInbox({ db, logger, inboxDir, signal, onOutcome });
  return { ...(fetched ? { fetched } : {}), runs, ignored };
}
