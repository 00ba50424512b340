import type { PoolClient } from 'pg';
import type { Sessions } from '../../sql/connection/database.ts';
import type { Source } from '../sources/source.ts';
import type { DumpFile } from './files.ts';

/** What a night stages, and where. */
export interface Staging<Kind extends Source = Source> {
  pool: Sessions;
  client: PoolClient;
  /** The schema of the tables of the night. */
  stage: string;
  /**
   * The files of sql/ that make documents of answers, that keep what a missing column tells, and that make entries
   * of the records of files.
   */
  steps: Record<'documents' | 'keep' | 'normalise', string>;
  source: Kind;
  files: readonly DumpFile[];
  /** Called now and then with the numbers of records and bytes read since the last call. */
  onProgress: (records: number, bytes: number) => void;
}
