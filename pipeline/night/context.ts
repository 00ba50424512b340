import type { Source } from '../sources/source.ts';
import type { Reporter } from './reporter.ts';
import type { NightSessions } from './sessions.ts';

export interface NightOptions {
  source: string;
  /** The description of the source; absent: the one in the folder `sources/<source>`. */
  description?: Source;
  /** The path of the dump: a folder, or one file. */
  path: string;
  /** The day that the dump describes, YYYY-MM-DD. */
  dump_date: string;
  /** The reason why a person accepts a dump that the guards refuse. */
  reason?: string | undefined;
  /** Whether the night computes everything and publishes nothing. */
  isDryRun?: boolean;
  /** Whether the night reads every record, including records that are known from yesterday. */
  isFullRead?: boolean;
  /** Whether the night is an import on demand: takes only unknown entries, publishes no events and no date. */
  isImport?: boolean;
  /** The first day on which a full dump may move all entries to a classification, by the classification's name. */
  recodedFrom?: Readonly<Record<string, string>> | undefined;
  now: () => Date;
  reporter: Reporter;
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
  /** Whether the source has no entries yet: the night then creates their table. */
  isFirst: boolean;
}
