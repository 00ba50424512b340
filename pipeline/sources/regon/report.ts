import {
  activityFields,
  codeFields,
  type Fields,
  legalPersonFields,
  naturalPersonFields,
  partnerFields,
  unitFields,
} from './fields.ts';

/**
 * A full report of BIR: its name in BIR 1.0 behind `PublDaneRaport`, the prefixes of its fields in lower
 * case, and its fields. A report without fields says nothing that the product shows.
 */
type Report = readonly [old_name: string | null, prefixes: readonly string[], fields?: Fields];

const company = ['praw_'];
const person = ['fiz_'];
const companyUnit = ['lokpraw_'];
const personUnit = ['lokfiz_', 'lokfizc_', 'lokfizp_'];

/** The reports by their names in BIR 1.1 and 1.2, without the prefix that tells the version. */
const reports = {
  OsPrawna: ['Prawna', company, legalPersonFields],
  OsPrawnaPkd: ['DzialalnosciPrawnej', company, codeFields],
  OsPrawnaListaJednLokalnych: ['LokalnePrawnej', companyUnit, unitFields],
  OsPrawnaSpCywilnaWspolnicy: ['WspolnicyPrawnej', ['wspolsc_'], partnerFields],
  JednLokalnaOsPrawnej: ['LokalnaPrawnej', companyUnit, unitFields],
  JednLokalnaOsPrawnejPkd: ['DzialalnosciLokalnejPrawnej', companyUnit],
  OsFizycznaDaneOgolne: ['FizycznaOsoba', person, naturalPersonFields],
  OsFizycznaDzialalnoscCeidg: ['DzialalnoscFizycznejCeidg', ['fiz_', 'fizc_'], activityFields],
  OsFizycznaDzialalnoscRolnicza: ['DzialalnoscFizycznejRolnicza', person, activityFields],
  OsFizycznaDzialalnoscPozostala: [
    'DzialalnoscFizycznejPozostala',
    ['fiz_', 'fizp_'],
    activityFields,
  ],
  OsFizycznaDzialalnoscSkreslonaDo20141108: ['DzialalnoscFizycznejWKrupgn', person, activityFields],
  OsFizycznaPkd: ['DzialalnosciFizycznej', person, codeFields],
  OsFizycznaListaJednLokalnych: ['LokalneFizycznej', personUnit, unitFields],
  JednLokalnaOsFizycznej: ['LokalnaFizycznej', personUnit, unitFields],
  JednLokalnaOsFizycznejPkd: ['DzialalnosciLokalnejFizycznej', personUnit],
  TypPodmiotu: ['TypJednostki', ['']],
  // The answers to a search and to the request of a daily list: no full reports.
  DaneSzukajPodmioty: [null, ['']],
  RaportZbiorczy: [null, ['']],
} satisfies Record<string, Report>;

export type ReportName = keyof typeof reports;

const entries = Object.entries(reports) as [ReportName, Report][];

const byName = new Map(
  entries.flatMap(([name, [old_name]]) =>
    [name, ...(old_name === null ? [] : [`PublDaneRaport${old_name}`])].map(
      (known) => [known.toLowerCase(), name] as const,
    ),
  ),
);

/** Case and underscores of names of fields do not count. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

const foldedFields = new Map(
  entries.map(([name, [, , fields]]) => {
    const pairs = Object.entries(fields ?? {}).map(([key, own]) => [foldName(key), own] as const);
    return [name, new Map(pairs)] as const;
  }),
);

/** The fields of a report by their folded names; none for one that says nothing the product shows. */
export function fieldsOf(name: ReportName): ReadonlyMap<string, string | null> {
  return foldedFields.get(name)!;
}

/** The daily lists of entities and of local units. */
const listName = /^(?:nowe|aktualizowane|skreslone)(?:podmioty|jednostki)/;

/**
 * The report behind a name of any version: `BIR11OsPrawna`, `BIR121JednLokalnaOsPrawnej`, and with
 * slips that answers of GUS show, ` BIR1.1OsPrawna` and `birBIR11OsPrawna`.
 */
export function findReport(name: string): ReportName | undefined {
  const known = name
    .trim()
    .toLowerCase()
    .replace(/^(?:bir)+[\d.]*/, '');
  return listName.test(known) ? 'RaportZbiorczy' : byName.get(known);
}

/** The report that the name of a file speaks of, such as `990000001-BIR12OsPrawnaPkd.xml`. */
export function findReportIn(file: string): ReportName | undefined {
  const words = file.replace(/\.[^.]*$/, '').split(/[^\p{L}\d.]+/u);
  return words.map(findReport).find((name) => name !== undefined);
}

/** Whether fields may belong to a report: at least one has its prefix. */
export function fits(name: ReportName, keys: readonly string[]): boolean {
  const [, prefixes] = reports[name];
  return (
    isAboutCodes(keys) === name.endsWith('Pkd') &&
    keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))
  );
}

function isAboutCodes(keys: readonly string[]): boolean {
  return keys.some((key) => /^(?:praw|fiz|lokpraw|lokfiz)_pkd/.test(key));
}

/** Which report an answer without a name is, by its fields in lower case. */
export function tellReport(keys: readonly string[]): ReportName | undefined {
  const has = (pattern: RegExp): boolean => keys.some((key) => pattern.test(key));
  const isUnit = has(/_(datazaistnieniazmiany|formafinansowania|rodzajrejestru|silos_nazwa)/);
  if (has(/^wspolsc_/)) return 'OsPrawnaSpCywilnaWspolnicy';
  if (has(/^lokpraw_pkd/)) return 'JednLokalnaOsPrawnejPkd';
  if (has(/^lokfiz_pkd/)) return 'JednLokalnaOsFizycznejPkd';
  if (has(/^praw_pkd/)) return 'OsPrawnaPkd';
  if (has(/^fiz_pkd/)) return 'OsFizycznaPkd';
  if (has(/^lokpraw_/)) return isUnit ? 'JednLokalnaOsPrawnej' : 'OsPrawnaListaJednLokalnych';
  if (has(/^lokfiz_/)) return isUnit ? 'JednLokalnaOsFizycznej' : 'OsFizycznaListaJednLokalnych';
  if (has(/^praw_/)) return 'OsPrawna';
  if (has(/^fiz_nazwisko$/)) return 'OsFizycznaDaneOgolne';
  if (has(/^fizc_/)) return 'OsFizycznaDzialalnoscCeidg';
  if (has(/^fizp_/)) return 'OsFizycznaDzialalnoscPozostala';
  // Only the activities that ended before 2014-11-08 have no dates of a bankruptcy.
  if (has(/^fiz_dataorzeczeniaoupadlosci$/)) return 'OsFizycznaDzialalnoscRolnicza';
  if (has(/^fiz_nazwa$/)) return 'OsFizycznaDzialalnoscSkreslonaDo20141108';
  if (has(/^silosid$/)) return 'DaneSzukajPodmioty';
  if (has(/^typ$/)) return 'TypPodmiotu';
  return has(/^regon$/) ? 'RaportZbiorczy' : undefined;
}
