import type { Source } from '../sources/source.ts';
import type { PublishedRun } from './run.ts';
import type { NightSessions } from './steps.ts';

export interface NightOptions {
  source: string;
  /** A dump: a folder, or one file. */
  path: string;
  /** The day the dump speaks of, YYYY-MM-DD. */
  dump_date: string;
  /** Why the dump is published although the guards refuse it. */
  reason?: string | undefined;
  /** Compute everything, publish nothing. */
  isDryRun?: boolean;
  /** Read every record, also those that were there yesterday. */
  isFullRead?: boolean;
  /**
   * The dump holds what a registry was asked for on demand: only what is not known yet is taken from
   * it, no date is claimed, and there are no events.
   */
  isImport?: boolean;
  now: () => Date;
  reporter: NightReporter;
}

/** What a night reports while it runs. */
export interface NightReporter {
  /** The run has its number; a night with nothing to do has none. */
  run?(run_id: number): void;
  step(name: string): void;
  /** The files are being read: so many records so far, and so many of all bytes. */
  progress(records: number, bytes: number, byteCount: number): void;
  note(sentence: string): void;
}

/** What the steps of one night share. */
export interface Night extends NightOptions, NightSessions {
  description: Source;
  run_id: string;
  newest: PublishedRun | undefined;
  /** Whether the source has no entries yet. */
  isFirst: boolean;
}
