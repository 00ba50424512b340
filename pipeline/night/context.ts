import type { Source } from '../sources/source.ts';
import type { NightReporter } from './reporter.ts';
import type { NightSessions } from './sessions.ts';

export interface NightOptions {
  source: string;
  /** Absent: the description in the folder `sources/<source>`. */
  description?: Source;
  /** A dump: a folder, or one file. */
  path: string;
  /** The day that the dump describes, YYYY-MM-DD. */
  dump_date: string;
  /** Why a person accepts the dump although the guards refuse it. */
  reason?: string | undefined;
  /** Compute everything, publish nothing. */
  isDryRun?: boolean;
  /** Read every record, including the records of yesterday. */
  isFullRead?: boolean;
  /** An import on demand takes only unknown entries, makes no events, and publishes no date. */
  isImport?: boolean;
  /** The first day on which a full dump may move all entries to a classification, by its name. */
  recodedFrom?: Readonly<Record<string, string>> | undefined;
  now: () => Date;
  reporter: NightReporter;
}

export interface PublishedRun {
  run_id: string;
  dump_date: string;
}

/** The options, sessions and state that the steps of one night share. */
export interface Night extends NightOptions, NightSessions {
  description: Source;
  run_id: string;
  newest: PublishedRun | undefined;
  /** Whether the source has no entries yet: they have no table, which the night will make. */
  isFirst: boolean;
}
