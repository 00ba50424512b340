import type { Source } from '../sources/source.ts';
import type { Reporter } from './reporter.ts';
import type { NightSessions } from './sessions.ts';

export interface NightOptions {
  source: string;
  /** The description of the source; if absent, the night loads the description in the folder `sources/<source>`. */
  description?: Source;
  /** The path of the dump: a folder, or one file. */
  path: string;
  /** The day that the dump describes, YYYY-MM-DD. */
  dump_date: string;
  /** The operator's reason to publish a dump that the guards refuse (`--accept`). */
  reason?: string | undefined;
  /** Whether the night is a dry run: it computes all changes, but publishes nothing. */
  isDryRun?: boolean;
  /** Whether the night reads every record, including records that are unchanged since yesterday's dump. */
  isFullRead?: boolean;
  /** Whether the night is an import on demand: it adds only new entries, without events or a snapshot date. */
  isImport?: boolean;
  /** The first day on which a full dump may convert all codes to a new classification, by its name (`NAF2025`). */
  recodedFrom?: Readonly<Record<string, string>> | undefined;
  now: () => Date;
  reporter: Reporter;
}

export interface PublishedRun {
  run_id: string;
  dump_date: string;
}

/** The options, database sessions and state that the steps of one night share. */
export interface Night extends NightOptions, NightSessions {
  description: Source;
  run_id: string;
  newest: PublishedRun | undefined;
  /** Whether the source has no entries yet. The first night of a source creates the table of its entries. */
  isFirst: boolean;
}
