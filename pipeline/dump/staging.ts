import type { PoolClient } from 'pg';
import type { Sessions } from '../../sql/connection/database.ts';
import type { Source } from '../sources/source.ts';
import type { DumpFile } from './files.ts';

/** A dump's source and files, the schema into which a night copies the records, and the database sessions. */
export interface Staging<Kind extends Source = Source> {
  pool: Sessions;
  client: PoolClient;
  /** The name of the schema that holds the tables of the night. */
  stage: string;
  source: Kind;
  files: readonly DumpFile[];
  /** Called after each part of a file with the numbers of records and bytes read so far. */
  onProgress: (records: number, bytes: number) => void;
}
