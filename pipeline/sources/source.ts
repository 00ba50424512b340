import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { findNear } from '../../sql/process/suggest.ts';
import { WrongUsage } from '../errors.ts';
import type { RejectCode } from './rejects.ts';

/** The form that the fields of a column have in nearly all records. */
export type ColumnForm = 'nip' | 'regon' | 'activity' | 'activities' | 'dotted_activity' | 'date';

/** A column of a source's files that the mapping reads. */
export interface SourceColumn {
  /** As the header of the file spells it. */
  header: string;
  /** As `map.sql` reads it from `stage.record`. */
  column: string;
  /** The form of its fields, where `map.sql` can then skip most of its checks. */
  form?: ColumnForm;
  /** How many digits it has, where a typed file may hold it as a number without its leading zeros. */
  digits?: number;
  /** A header without it is no fault: its fields are null, and what they alone tell stays as it was. */
  is_optional?: boolean;
  /**
   * What it tells of an entry, by the names of 1_read/keep.sql. A guard refuses a header without it; a dump that
   * is accepted so leaves that as it was; `nothing` where no answer shows it. Absent: nothing can be read without it, unless it is optional.
   */
  tells?: readonly string[];
}

/** The columns of a file. */
export interface TableColumns {
  columns: readonly SourceColumn[];
  /** Headers of columns that are known and not read. Others are unknown, and are noted. */
  ignored?: readonly string[];
  /** A column that numbers the rows: staged, but no data. */
  row_number?: string;
}

/** A file of a dump whose tables are joined. */
export interface JoinedTable extends TableColumns {
  /** What `identifyFile` returns for it. */
  file_key: string;
  /** The column with the day on which the registry touched a row last, YYYY-MM-DD…; it is no data. */
  touched?: string;
}

/** The fields of a row by their `column`; a blank one is absent. */
export type Fields = Record<string, string>;

/** Two files of a dump whose rows make one record each: a row of one, with its rows of the other. */
export interface JoinDescription {
  separator: Separator;
  /** The header of the key in both files: a number of `key_digits` digits, at most 9. Both are sorted by it. */
  key: string;
  key_digits: number;
  main: JoinedTable;
  details: JoinedTable & {
    /** The column that identifies a row. */
    unique: string;
  };
  /** The columns of both that `combine` and `needsDetails` look at, the unique one among them. */
  brief: readonly string[];
  /**
   * Other files, with the key too, which may be absent: their rows go to `stage.side_row`. One with the
   * columns `old_key` and `new_key` lists duplicates, and the entries that stand for them.
   */
  side: readonly JoinedTable[];
  /** Whether a row of the main file without any details is a sign of a damaged dump. */
  needsDetails: (main: Fields) => boolean;
  /** The columns that a record has beside `details` and those of its main row, with their types in SQL. */
  combined: Readonly<Record<string, 'integer' | 'text'>>;
  /**
   * Which details of a new or changed record are `listed`, in their order, and the other columns. A change of
   * it makes the next night read every record, as one of `map.sql` does.
   */
  combine: (
    main: Fields,
    details: readonly Fields[],
  ) => { listed: readonly Fields[] } & Record<string, unknown>;
}

/** The dumps of a source. `map.sql` in the same folder says what they mean. */
interface DumpDescription {
  /** ISO 3166-1 alpha-2. */
  country_code: string;
  /** Whether the registry tells the main activity of an entry, and no other. */
  has_one_activity?: boolean;
  /**
   * Which part of the dump a file is, by its path below the dump's folder; null for another file.
   * Folders of tables hold no folders. Throws a `Refusal` for a part whose name is not clear.
   */
  identifyFile(file: string): string | null;
}

/** A source whose files are tables with a header, a row a record. */
export interface TableDescription extends DumpDescription, TableColumns {
  format: 'table';
  /** `full`: an absent entry is gone. `delta`: a dump says nothing of absent entries. */
  dump_kind: 'full' | 'delta';
  /** Absent: each file is a table of records of its own. */
  join?: JoinDescription;
  /** What a dump of the other format is, where the source has both. */
  delta?: DocumentDescription;
}

export type Separator = ',' | ';';

/**
 * A source whose files hold answers of a registry, in folders of any depth. `collect.sql` makes documents
 * of them, one an entry.
 */
export interface DocumentDescription extends DumpDescription {
  format: 'document';
  dump_kind: 'delta';
  /** The answers of one file, one at a time. Throws a `Refusal` when the whole file cannot be read. */
  readAnswers(file: AnswerFile): AsyncIterable<Answer>;
}

export type SourceDescription = TableDescription | DocumentDescription;

/** A file of answers on the disk. */
export interface AnswerFile {
  path: string;
  /** Its path below the dump's folder. */
  file: string;
  /** Called with the number of bytes of each part that was read. */
  onRead?: (byte_count: number) => void;
}

/** One answer of a registry, or why it cannot be read. */
export type Answer = {
  /** Where it begins, from 1; unique in its file. */
  line: number;
  /** As written, for the list of rejects; shortened. */
  raw: string;
} & (
  | { /** As `collect.sql` reads it from `stage.answer`. */ answer: object }
  | { /** Why it cannot be read. */ reject_code: RejectCode; reason: string }
);

interface Mapping {
  /** The name of the folder below `sources/`, on the command line and in every table. */
  name: string;
  mapping: string;
  /** Changes whenever the mapping does, so that every record is read again. */
  mapping_version: string;
  /** The text of `note.sql`, where there is one: what the run notes of the records, and `stage.withheld_unit`. */
  note?: string | undefined;
}

export type TableSource = Omit<TableDescription, 'delta'> & Mapping & { delta?: DocumentSource };
/**
 * `collection`: the text of `collect.sql`, and of `collect_….sql` after it. `record_columns`: the columns of a
 * full dump's record with their types in SQL, which are keys of its documents, so that one `map.sql` reads both.
 */
export type DocumentSource = DocumentDescription &
  Mapping & { collection: string; record_columns?: Readonly<Record<string, string>> };
export type Source = TableSource | DocumentSource;

const folder = new URL('./', import.meta.url);

/** The columns that the records of joined tables have beside those of a row, with their types in SQL. */
export function joinedColumns({ join }: Pick<TableDescription, 'join'>): Record<string, string> {
  return join ? { ...join.combined, details: 'jsonb' } : {};
}

/** The names of all sources: the folders below `sources/`. */
export async function listSources(): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

/** Loads a source by its name. Throws `WrongUsage` that lists the names when there is none. */
export async function loadSource(name: string): Promise<Source> {
  const names = await listSources();
  if (!names.includes(name)) {
    const [near] = findNear(name, names, 1);
    const list = `There is: ${names.join(', ')}`;
    throw new WrongUsage(`There is no source '${name}'; ${near ? `is it ${near}? ` : ''}${list}`);
  }
  const { description } = (await import(new URL(`${name}/source.ts`, folder).href)) as {
    description: SourceDescription;
  };
  const read = (file: string) => readFile(new URL(file, folder), 'utf8');
  const mapping = await read(`${name}/map.sql`);
  const normalising = await read('../../sql/nightly/1_read/normalise.sql');
  const combining = description.format === 'table' ? description.join?.combine.toString() : '';
  const tidying = (await read('text.ts')).replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, '');
  // A comment changes nothing about what a record means.
  const statements = (mapping + normalising + combining + tidying).replaceAll(/--.*$/gm, '');
  const files = await readdir(new URL(`${name}/`, folder));
  const note = files.includes('note.sql') ? await read(`${name}/note.sql`) : undefined;
  const source = { name, mapping, mapping_version: hash('sha256', statements), note };
  const steps = files.filter((file) => /^collect.*\.sql$/.test(file));
  const texts = await Promise.all(steps.toSorted().map((step) => read(`${name}/${step}`)));
  const documents = { ...source, collection: texts.join('\n;\n') };
  if (description.format === 'document') return { ...description, ...documents };
  const { delta, ...table } = description;
  if (!delta) return { ...table, ...source };
  const columns = table.columns.map(({ column }) => [column, 'text']);
  const record_columns = { ...Object.fromEntries(columns), ...joinedColumns(table) };
  return { ...table, ...source, delta: { ...delta, ...documents, record_columns } };
}
