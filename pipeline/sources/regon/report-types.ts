import { readTable } from '../table.ts';

// Describes the reports of BIR, the API of REGON. source.ts reads a report of a dump, ../../fetch/regon-report.ts gets
// it. reports.csv lists the groups of fields of each report, and fields.csv lists the fields of each group.

// The column `field` has the field names of GUS without the prefix of a report, such as `praw_` or `fizC_`.
const fields = readTable<'group' | 'field' | 'name'>(new URL('fields.csv', import.meta.url));
const groups = Map.groupBy(fields, ({ group }) => group);

const rows = readTable<'report' | 'prefixes' | 'groups' | 'entity' | 'part' | 'silo' | 'sign'>(
  new URL('reports.csv', import.meta.url),
);

const reports = rows.map(({ prefixes, groups: names, sign, ...place }) => ({
  /** The name of the report in BIR 1.1 and 1.2, without the prefix of the version. */
  name: place.report,
  /** The possible prefixes of the field names in the report, in lower case. */
  prefixes: prefixes.split(' '),
  /** The names of fields in the product, by their names in GUS without case; a blank name marks an ignored field. */
  fields: new Map(
    (names.match(/\w+/g) ?? [])
      .flatMap((name) => groups.get(name)!)
      .map(({ field, name }) => [foldName(field), name]),
  ),
  /** Matches a typical field of the report, by which an answer without a label is recognized. */
  sign: new RegExp(sign),
  /** The columns by which `collect.sql` finds the report; a blank `part` means that the product shows no data of it. */
  place,
}));

export type Report = (typeof reports)[number];

const byName = new Map(reports.map((report) => [report.name.toLowerCase(), report]));

/** Returns a field name in lower case without underscores, since case and underscores differ between reports. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/**
 * Finds a report by its name in any version of BIR, such as `BIR11OsPrawna` or `BIR121JednLokalnaOsPrawnej`. Accepts
 * misspelled names in answers of GUS, such as ` BIR1.1OsPrawna` and `birBIR11OsPrawna`.
 */
export function findReport(name: string): Report | undefined {
  const known = name
    .trim()
    .toLowerCase()
    .replace(/^(?:bir)+[\d.]*/, '');
  return byName.get(known);
}

/** Finds the report whose name is part of a file name, such as `990000001-BIR12OsPrawnaPkd.xml`. */
export function findReportIn(file: string): Report | undefined {
  const words = file.replace(/\.[^.]*$/, '').split(/[^\p{L}\d.]+/u);
  return words.map(findReport).find((report) => report !== undefined);
}

/** Checks whether fields may belong to a report: at least one field name must begin with a prefix of the report. */
export function fits({ name, prefixes }: Report, keys: readonly string[]): boolean {
  return (
    keys.some((key) => /^(?:praw|fiz|lokpraw|lokfiz)_pkd/.test(key)) === name.endsWith('Pkd') &&
    keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))
  );
}

/** Finds the report of an answer without a label, by its field names in lower case. */
export function tellReport(keys: readonly string[]): Report | undefined {
  return reports.find(({ sign }) => keys.some((key) => sign.test(key)));
}
