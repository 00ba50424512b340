import { readTable } from '../table.ts';

// Describes the reports of the service BIR. source.ts reads a report of a dump, ../../fetch/regon-report.ts writes it.

// The column `field` has the names of GUS without the prefix of a report, such as `praw_` or `fizC_`.
const fields = readTable<'group' | 'field' | 'name'>(new URL('fields.csv', import.meta.url));
const groups = Map.groupBy(fields, ({ group }) => group);

const rows = readTable<'report' | 'prefixes' | 'groups' | 'entity' | 'part' | 'silo' | 'sign'>(
  new URL('reports.csv', import.meta.url),
);

const reports = rows.map(({ prefixes, groups: names, sign, ...place }) => ({
  /** The name of the report in BIR 1.1 and 1.2, without the prefix of the version. */
  name: place.report,
  /** The beginnings of the names of the report's fields, in lower case. */
  prefixes: prefixes.split(' '),
  /** Our names of the fields, by the folded names of GUS; a blank name marks an ignored field. */
  fields: new Map(
    (names.match(/\w+/g) ?? [])
      .flatMap((name) => groups.get(name)!)
      .map(({ field, name }) => [foldName(field), name]),
  ),
  /** Matches a typical field: an answer without a name is the first report of the table with such a field. */
  sign: new RegExp(sign),
  /**
   * The columns by which `collect.sql` finds the report; a report without a part has nothing that the product shows.
   */
  place,
}));

export type Report = (typeof reports)[number];

const byName = new Map(reports.map((report) => [report.name.toLowerCase(), report]));

/** Returns the name of a field without case and underscores, which differ between reports and versions. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/**
 * Finds a report by its name in any version: `BIR11OsPrawna`, `BIR121JednLokalnaOsPrawnej`. Accepts slips that
 * answers of GUS show: ` BIR1.1OsPrawna` and `birBIR11OsPrawna`.
 */
export function findReport(name: string): Report | undefined {
  const known = name
    .trim()
    .toLowerCase()
    .replace(/^(?:bir)+[\d.]*/, '');
  return byName.get(known);
}

/** Finds the report that the name of a file contains, such as `990000001-BIR12OsPrawnaPkd.xml`. */
export function findReportIn(file: string): Report | undefined {
  const words = file.replace(/\.[^.]*$/, '').split(/[^\p{L}\d.]+/u);
  return words.map(findReport).find((report) => report !== undefined);
}

/** Checks whether fields may belong to a report: at least one has the report's prefix. */
export function fits({ name, prefixes }: Report, keys: readonly string[]): boolean {
  return (
    keys.some((key) => /^(?:praw|fiz|lokpraw|lokfiz)_pkd/.test(key)) === name.endsWith('Pkd') &&
    keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))
  );
}

/** Finds the report of an answer without a name, by the names of its fields in lower case. */
export function tellReport(keys: readonly string[]): Report | undefined {
  return reports.find(({ sign }) => keys.some((key) => sign.test(key)));
}
