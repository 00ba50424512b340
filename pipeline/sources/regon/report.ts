import { readTable } from '../table.ts';

// The documents of GUS name a field so, behind a prefix of its report such as `praw_` or `fizC_`.
const fields = readTable<'group' | 'field' | 'name'>(new URL('fields.csv', import.meta.url));
const groups = Map.groupBy(fields, ({ group }) => group);

const reportRows = readTable<
  'report' | 'old_name' | 'prefixes' | 'groups' | 'entity' | 'part' | 'silo' | 'sign'
>(new URL('reports.csv', import.meta.url));

const reports = reportRows.map(({ old_name, prefixes, groups: names, sign, ...place }) => ({
  /** As in BIR 1.1 and 1.2, without the prefix that tells the version. */
  name: place.report,
  /** As in BIR 1.0, where that version has the report. */
  old_name: old_name || place.report,
  /** How the names of its fields begin, in lower case. */
  prefixes: prefixes.split(' '),
  /** Our names by the folded names of GUS; blank: known, and ignored. */
  fields: new Map(
    (names.match(/\w+/g) ?? [])
      .flatMap((name) => groups.get(name)!)
      .map(({ field, name }) => [foldName(field), name]),
  ),
  /** An answer without a name is the first report of the table with such a field. */
  sign: new RegExp(sign),
  /** What `collect.sql` knows it by; without a part it says nothing that the product shows. */
  place,
}));

export type Report = (typeof reports)[number];

const byName = new Map(
  reports.flatMap((report) =>
    [report.name, report.old_name].map((name) => [name.toLowerCase(), report]),
  ),
);

/** Case and underscores of names of fields do not count: they differ between reports and versions. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

/** The daily lists of entities and of local units. */
const listName = /^(?:nowe|aktualizowane|skreslone)(?:podmioty|jednostki)/;

/**
 * The report behind a name of any version: `BIR11OsPrawna`, `BIR121JednLokalnaOsPrawnej`, and with
 * slips that answers of GUS show, ` BIR1.1OsPrawna` and `birBIR11OsPrawna`.
 */
export function findReport(name: string): Report | undefined {
  const known = name
    .trim()
    .toLowerCase()
    .replace(/^(?:bir)+[\d.]*/, '');
  return byName.get(listName.test(known) ? 'raportzbiorczy' : known);
}

/** The report that the name of a file speaks of, such as `990000001-BIR12OsPrawnaPkd.xml`. */
export function findReportIn(file: string): Report | undefined {
  const words = file.replace(/\.[^.]*$/, '').split(/[^\p{L}\d.]+/u);
  return words.map(findReport).find((report) => report !== undefined);
}

/** Whether fields may belong to a report: at least one has its prefix. */
export function fits({ name, prefixes }: Report, keys: readonly string[]): boolean {
  return (
    isAboutCodes(keys) === name.endsWith('Pkd') &&
    keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))
  );
}

function isAboutCodes(keys: readonly string[]): boolean {
  return keys.some((key) => /^(?:praw|fiz|lokpraw|lokfiz)_pkd/.test(key));
}

/** Which report an answer without a name is, by its fields in lower case. */
export function tellReport(keys: readonly string[]): Report | undefined {
  return reports.find(({ sign }) => keys.some((key) => sign.test(key)));
}
