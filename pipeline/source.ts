import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { WrongUsage } from './refusal.ts';

/** A column of a source's files that the mapping reads. */
export interface SourceColumn {
  /** As the header of the file spells it. */
  header: string;
  /** As `map.sql` reads it from `stage.record`. */
  column: string;
}

/** What a source's folder says of its files; `map.sql` beside it says what they mean. */
export interface SourceDescription {
  /**
   * `full`: what a dump does not hold is gone. `delta`: a dump says nothing about what it does not
   * hold.
   */
  dump_kind: 'full' | 'delta';
  /** ISO 3166-1 alpha-2. */
  country_code: string;
  /** Every one must be in the header of every file. */
  columns: readonly SourceColumn[];
  /** A column that numbers the rows: staged, but no data. */
  row_number: string;
  /**
   * Which part of the dump a file is, by its name; null for a file that is none of the dump's.
   * Throws a `Refusal` for a file that looks like a part but cannot be told which.
   */
  identifyFile(file: string): string | null;
}

export interface Source extends SourceDescription {
  /** The name of the folder below `sources/`, on the command line and in every table. */
  name: string;
  /** The text of `map.sql`. */
  mapping: string;
  /** Changes whenever the mapping does, so that every record is read again. */
  mapping_version: string;
}

const folder = new URL('sources/', import.meta.url);

/** The names of all sources: the folders below `sources/`. */
export async function listSources(): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

/** Loads a source by its name; throws `WrongUsage` that lists the names when there is none. */
export async function loadSource(name: string): Promise<Source> {
  const names = await listSources();
  if (!names.includes(name)) {
    throw new WrongUsage(`There is no source '${name}'; there is: ${names.join(', ')}`);
  }
  const { description } = (await import(new URL(`${name}/source.ts`, folder).href)) as {
    description: SourceDescription;
  };
  const mapping = await readFile(new URL(`${name}/map.sql`, folder), 'utf8');
  const normalise = await readFile(new URL('../sql/nightly/1a_normalise.sql', import.meta.url));
  const version = createHash('sha256').update(mapping).update(normalise).digest('hex');
  return { ...description, name, mapping, mapping_version: version };
}
