import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { findNear } from '../../sql/process/suggest.ts';
import { WrongUsage } from '../errors.ts';
import type { RejectCode } from './rejects.ts';

/** The usual form of the values in a column, such as a NIP or a date. */
export type ColumnForm = 'nip' | 'regon' | 'activity' | 'activities' | 'dotted_activity' | 'date';

/** A column of the files of a source that `map.sql` reads. */
export interface SourceColumn {
  /** The name of the column in the header line of a file. */
  header: string;
  /** The name of the column in `stage.record`, which `map.sql` reads. */
  column: string;
  /** The usual form of the column's values; `map.sql` skips most checks of a record with only usual forms. */
  form?: ColumnForm;
  /** The number of digits of each value, if a typed file may store the value as a number without leading zeros. */
  digits?: number;
  /** Whether a file may lack the column. The values are then null, and the subjects in `tells` keep known values. */
  is_optional?: boolean;
  /**
   * The subjects (parts of an entry) that only this column states, by their names in 1_read/missing_column.sql. A guard
   * refuses a dump whose header lacks the column. If the operator accepts the dump, the subjects in `tells` keep their
   * known values. `nothing` means that the product does not show the column. Without `tells`, a dump that lacks a
   * required column is always refused.
   */
  tells?: readonly string[];
}

/** The columns of a file in a dump. */
export interface TableColumns {
  columns: readonly SourceColumn[];
  /** The headers of known columns that are not read from the file. A run notes any further header as unknown. */
  ignored?: readonly string[];
  /** The header of the column with the number of a row, which is ignored when records of two days are compared. */
  row_number?: string;
}

/** A file of a dump whose files are joined. */
export interface JoinedTable extends TableColumns {
  /** The key that `identifyFile` returns for this file. */
  file_key: string;
  /** The header of the column with the day of a row's last change, YYYY-MM-DD…; a change of it alone is ignored. */
  touched?: string;
}

/** The values of a row by the names of their columns; blank values are absent. */
export type Fields = Record<string, string>;

/** A join of two files of a dump: a record is one row of the main file, together with its rows of the details file. */
export interface JoinDescription {
  separator: Separator;
  /** The header of the key column in both files. The files are sorted by this key, a number of at most nine digits. */
  key: string;
  key_digits: number;
  main: JoinedTable;
  details: JoinedTable & {
    /** The name of the column that identifies a row of the details file. */
    unique: string;
  };
  /** The names of the columns of both files that `combine` and `needsDetails` read, including the column `unique`. */
  brief: readonly string[];
  /**
   * Optional further files with the same key column, whose rows are stored in `stage.side_row`. A side file with the
   * columns `old_key` and `new_key` lists keys of duplicates, and the keys that replace them.
   */
  side: readonly JoinedTable[];
  /** Returns whether a row of the main file must have rows in the details file; if it has none, the dump is damaged. */
  needsDetails: (main: Fields) => boolean;
  /** The names of the columns that `combine` returns besides `listed`, all of them texts. */
  combined: readonly string[];
  /**
   * Returns the rows of the details file to store for a new or changed record (`listed`), and the columns named in
   * `combined`. After a change of `combine`, the next night reads every record again.
   */
  combine: (
    main: Fields,
    details: readonly Fields[],
  ) => { listed: readonly Fields[] } & Record<string, unknown>;
}

/** The members of a source's description that all kinds of sources have. */
interface DumpDescription {
  /** The country of the registry, as its ISO 3166-1 alpha-2 code. */
  country_code: string;
  /** Whether the registry states only the main activity of an entry. */
  has_one_activity?: boolean;
  /**
   * Returns which part of a dump the file holds, as a key, or null if the file is no part of the dump. Throws a
   * `Refusal` if the file's name does not identify the part.
   */
  identifyFile(file: string): string | null;
}

/** The description of a source whose files are tables, with a header and one record per row. */
export interface TableDescription extends DumpDescription, TableColumns {
  format: 'table';
  /** A known entry that is missing from a `full` dump counts as deleted, but from a `delta` dump as unchanged. */
  dump_kind: 'full' | 'delta';
  /** The join of the files; undefined if each row is a whole record. */
  join?: JoinDescription;
  /** The description of dumps that hold answers, if the source has both tables and such dumps. */
  delta?: DocumentDescription;
}

export type Separator = ',' | ';';

/**
 * The description of a source whose files, in folders of any depth, hold answers of a registry. `collect.sql` makes one
 * document per entry from the answers.
 */
export interface DocumentDescription extends DumpDescription {
  format: 'document';
  dump_kind: 'delta';
  /** Yields the answers of one file, one at a time. Throws a `Refusal` if the file as a whole cannot be read. */
  readAnswers(file: AnswerFile): AsyncIterable<Answer>;
}

/** A file in a dump folder that holds answers. */
export interface AnswerFile {
  path: string;
  /** The path of the file below the dump folder. */
  file: string;
  /** Called after each part of the file is read, with the number of bytes in this part. */
  onRead?: (byte_count: number) => void;
}

/** An answer of a registry as read from a file, or the reason why the answer cannot be read. */
export type Answer = {
  /** The number of the line on which the answer begins, from 1; unique in its file. */
  line: number;
  /** The beginning of the answer as written in the file, for the list of rejects. */
  raw: string;
} & (
  | { /** The object that `collect.sql` reads from `stage.answer`. */ answer: object }
  | { /** The code of the reject in `reject_code.csv`. */ reject_code: RejectCode; reason: string }
);

interface Mapping {
  /** The name of the source: its folder below `sources/`, also used on the command line and in every table. */
  name: string;
  mapping: string;
  /** The hash of the code that maps a record; if the hash changes, the next night reads every record again. */
  mapping_version: string;
  /** The text of `note.sql`, if the source has this file. */
  note?: string | undefined;
}

export type TableSource = Omit<TableDescription, 'delta'> & Mapping & { delta?: DocumentSource };
/**
 * A source whose dumps hold answers, from which `collect.sql` makes documents. `collection` is the SQL text of
 * `collect.sql`, followed by the texts of `collect_….sql`. `record_columns` are the columns of `stage.record` without
 * `details`, if the source also has full dumps; documents have these columns too, as both are read by one `map.sql`.
 */
export type DocumentSource = DocumentDescription &
  Mapping & { collection: string; record_columns?: readonly string[] };
export type Source = TableSource | DocumentSource;

const folder = new URL('./', import.meta.url);

/** Returns the names of all sources, which are the folders below `sources/`. */
export async function listSources(): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

/** Loads a source by its name. Throws a `WrongUsage` that lists all names if no source has this name. */
export async function loadSource(name: string): Promise<Source> {
  const names = await listSources();
  if (!names.includes(name)) {
    const [near] = findNear(name, names, 1);
    const list = `There is: ${names.join(', ')}`;
    throw new WrongUsage(`There is no source '${name}'; ${near ? `is it ${near}? ` : ''}${list}`);
  }
  const { description } = (await import(new URL(`${name}/source.ts`, folder).href)) as {
    description: TableDescription | DocumentDescription;
  };
  const read = (file: string) => readFile(new URL(file, folder), 'utf8');
  const files = (await readdir(new URL(`${name}/`, folder))).toSorted();
  const readAll = (pattern: RegExp) =>
    Promise.all(files.filter((file) => pattern.test(file)).map((file) => read(`${name}/${file}`)));
  const map = await read(`${name}/map.sql`);
  const mapping = (await read('complete.sql')).replace('stage.map ', () => `(\n${map}) `);
  const normalising = await read('../../sql/nightly/1_read/normalise.sql');
  const combining = description.format === 'table' ? description.join?.combine.toString() : '';
  const tidying = (await read('tidy.ts')).replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, '');
  // The hash is computed without SQL comments, because comments do not change how a record is mapped.
  const statements = (mapping + normalising + combining + tidying).replaceAll(/--.*$/gm, '');
  const [note] = await readAll(/^note\.sql$/);
  const source = { name, mapping, mapping_version: hash('sha256', statements), note };
  const documents = { ...source, collection: (await readAll(/^collect.*\.sql$/)).join('\n;\n') };
  if (description.format === 'document') return { ...description, ...documents };
  const { delta, ...table } = description;
  if (!delta) return { ...table, ...source };
  const { columns, join } = table;
  const record_columns = [...columns.map(({ column }) => column), ...(join?.combined ?? [])];
  return { ...table, ...source, delta: { ...delta, ...documents, record_columns } };
}
