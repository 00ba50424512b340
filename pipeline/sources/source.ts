import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { findNear } from '../../sql/process/suggest.ts';
import { WrongUsage } from '../errors.ts';
import type { RejectCode } from './rejects.ts';

/** The usual form of the fields in a column, such as a NIP or a date. */
export type ColumnForm = 'nip' | 'regon' | 'activity' | 'activities' | 'dotted_activity' | 'date';

/** A column in the files of a source, if `map.sql` reads the column. */
export interface SourceColumn {
  /** The name of the column in the header of the file. */
  header: string;
  /** The name of the column in `stage.record`, which `map.sql` reads. */
  column: string;
  /** The usual form of the column's fields; `map.sql` skips most checks of a field that has this form. */
  form?: ColumnForm;
  /** The number of digits, if a typed file may hold a field as a number without its leading zeros. */
  digits?: number;
  /** Whether a file may lack the column; its fields are then null, and data that no other column states stays. */
  is_optional?: boolean;
  /**
   * The subjects of an entry that only this column states, by the names in 1_read/missing_column.sql. A guard refuses a
   * dump whose header lacks the column. If the operator accepts the dump, the subjects in `tells` keep their known
   * values. `nothing` means that no answer shows the column. If `tells` is absent, a dump needs the column, unless it
   * is optional.
   */
  tells?: readonly string[];
}

/** The columns of a file of a source. */
export interface TableColumns {
  columns: readonly SourceColumn[];
  /** The headers of known columns that are not read from the file; any other header is noted as unknown. */
  ignored?: readonly string[];
  /** The column that numbers the rows; it is loaded, but not compared. */
  row_number?: string;
}

/** A file in a dump whose files are joined. */
export interface JoinedTable extends TableColumns {
  /** The key that `identifyFile` returns for this file. */
  file_key: string;
  /** The column with the day on which the registry last updated a row, YYYY-MM-DD…; it is not compared. */
  touched?: string;
}

/** The fields of a row by the names of their columns; blank fields are absent. */
export type Fields = Record<string, string>;

/** A join of two files of a dump. A record is one row of the main file together with its rows of the details file. */
export interface JoinDescription {
  separator: Separator;
  /** The header of the key column in both joined files, which are sorted by this key of at most nine digits. */
  key: string;
  key_digits: number;
  main: JoinedTable;
  details: JoinedTable & {
    /** The column that identifies a row of the details file. */
    unique: string;
  };
  /** The columns of both files that `combine` and `needsDetails` read, including the column `unique`. */
  brief: readonly string[];
  /**
   * Optional further files with the same key column, whose rows are stored in `stage.side_row`. A side file with the
   * columns `old_key` and `new_key` lists duplicates, and the entries that replace them.
   */
  side: readonly JoinedTable[];
  /** Returns whether a row of the main file must have details, so that a row without any means a damaged dump. */
  needsDetails: (main: Fields) => boolean;
  /** The names of the text columns that `combine` returns besides `listed`. */
  combined: readonly string[];
  /**
   * Returns the `listed` details of a new or changed record, in their order, and the columns named in `combined`. After
   * a change of `combine`, as after a change of `map.sql`, the next night reads every record again.
   */
  combine: (
    main: Fields,
    details: readonly Fields[],
  ) => { listed: readonly Fields[] } & Record<string, unknown>;
}

/** The part of a description that all kinds of sources share; `map.sql` of the source maps the content of the dumps. */
interface DumpDescription {
  /** The country of the registry, as its ISO 3166-1 alpha-2 code. */
  country_code: string;
  /** Whether the registry states only the main activity of an entry. */
  has_one_activity?: boolean;
  /**
   * Returns the key of the part of a dump that a file holds, or null for a file that is no part of the dump. Throws a
   * `Refusal` if the name of a file does not identify the part.
   */
  identifyFile(file: string): string | null;
}

/** A source whose files are tables with a header, and one record per row. */
export interface TableDescription extends DumpDescription, TableColumns {
  format: 'table';
  /** An entry that is absent from a `full` dump is gone. An entry that is absent from a `delta` dump stays. */
  dump_kind: 'full' | 'delta';
  /** The join of the files; undefined if each file has whole records. */
  join?: JoinDescription;
  /** The description of the dumps of answers, if the source has both full dumps and dumps of answers. */
  delta?: DocumentDescription;
}

export type Separator = ',' | ';';

/**
 * A source whose files hold answers of a registry, in folders of any depth. `collect.sql` makes one document per entry
 * from the answers.
 */
export interface DocumentDescription extends DumpDescription {
  format: 'document';
  dump_kind: 'delta';
  /** Yields the answers of one file, one at a time. Throws a `Refusal` if the file as a whole cannot be read. */
  readAnswers(file: AnswerFile): AsyncIterable<Answer>;
}

/** A file of answers in a dump folder. */
export interface AnswerFile {
  path: string;
  /** The path of the file below the dump folder. */
  file: string;
  /** Called with the number of bytes after each part of the file that is read. */
  onRead?: (byte_count: number) => void;
}

/** One answer of a registry, or the reason why it cannot be read. */
export type Answer = {
  /** The number of the line where the answer begins, counted from 1 and unique in its file. */
  line: number;
  /** The beginning of the answer as it is written in the file, for the list of rejects. */
  raw: string;
} & (
  | { /** The object that `collect.sql` reads from `stage.answer`. */ answer: object }
  | { /** The code of the reject. */ reject_code: RejectCode; reason: string }
);

interface Mapping {
  /** The name of the source: its folder below `sources/`, also used on the command line and in every table. */
  name: string;
  mapping: string;
  /** The hash of the mapping; if it changes, the next night reads every record again. */
  mapping_version: string;
  /** The text of `note.sql`, if the source has this file. */
  note?: string | undefined;
}

export type TableSource = Omit<TableDescription, 'delta'> & Mapping & { delta?: DocumentSource };
/**
 * A source whose dumps hold documents. `collection` is the SQL text of `collect.sql`, followed by the texts of
 * `collect_….sql`. `record_columns` are the columns of a record in a full dump, without `details`. The documents have
 * the same columns as records, so that one `map.sql` reads both.
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
  // SQL comments are removed before the mapping is hashed, because they do not change the meaning of a record.
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
