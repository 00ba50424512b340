import { readTable } from '../table.ts';

// Describes the reports of BIR, the API of REGON. fetch-report.ts fetches the reports, and source.ts reads
// them. reports.csv lists the groups of fields of each report, and fields.csv lists the fields of each group.

// In fields.csv, the column `field` has the field names of GUS without the prefix of a report, such as `praw_`.
const fields = readTable<'group' | 'field' | 'name'>(new URL('fields.csv', import.meta.url));
const groups = Map.groupBy(fields, ({ group }) => group);

const rows = readTable<'report' | 'prefixes' | 'groups' | 'entity' | 'part' | 'silo' | 'sign'>(
  new URL('reports.csv', import.meta.url),
);

const reports = rows.map(({ prefixes, groups: names, sign, ...place }) => ({
  /** The name of the report without the prefix for the version of BIR, such as `BIR12`. */
  name: place.report,
  /** The prefixes that field names in the report may have, in lower case. */
  prefixes: prefixes.split(' '),
  /** The product's names of the report's fields, by the folded names of GUS; a field with a blank name is not read. */
  fields: new Map(
    (names.match(/\w+/g) ?? [])
      .flatMap((name) => groups.get(name)!)
      .map(({ field, name }) => [foldName(field), name]),
  ),
  /** Matches a typical field of the report, by which an answer without a label is recognized. */
  sign: new RegExp(sign),
  /** The columns by which `collect.sql` finds the report; if `part` is blank, the product does not use the report. */
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

/** Checks whether an answer's fields may belong to a report: a field name must begin with a prefix of the report. */
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
