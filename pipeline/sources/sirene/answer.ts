import { z } from 'zod';
import {
  findFault,
  type OddValue,
  parseJson,
  readEach,
  reject,
  UnusableAnswer,
} from '../answer.ts';
import { shorten } from '../rejects.ts';
import type { Answer, DocumentDescription } from '../source.ts';
import { readColumns } from '../table.ts';
import { tidy } from '../tidy.ts';

/** The columns of the file StockUniteLegale (legal units). */
export const unitColumns = readColumns(new URL('unit.csv', import.meta.url));
/** The columns of the file StockEtablissement (establishments). */
export const establishmentColumns = readColumns(new URL('establishment.csv', import.meta.url));

/** The maximum size of a page of an answer, in bytes; a page has at most a thousand rows of some kilobytes. */
const PAGE_BYTES = 32 * 1024 ** 2;

const page = z.looseObject({
  header: z.object({ statut: z.number(), message: z.string().optional() }).optional(),
  unitesLegales: z.array(z.unknown()).optional(),
  uniteLegale: z.unknown().optional(),
  etablissements: z.array(z.unknown()).optional(),
  etablissement: z.unknown().optional(),
});

const periods = z.array(z.looseObject({})).min(1);
const place = z.looseObject({}).optional();
const siren = z.string().regex(/^[0-9]{9}$/, 'is no number of nine digits');
const unit = z.looseObject({ siren, periodesUniteLegale: periods });
const establishment = z.looseObject({
  siren,
  siret: z.string().regex(/^[0-9]{14}$/, 'is no number of 14 digits'),
  uniteLegale: z.looseObject({}),
  adresseEtablissement: place,
  adresse2Etablissement: place,
  periodesEtablissement: periods,
});

type Fields = Record<string, unknown>;

const stocks = [unitColumns, establishmentColumns];

/** The names of the columns in `stage.record`, by the names of the fields in an answer. */
const columnOf = new Map([
  ...stocks.flatMap(({ columns }) =>
    columns.map(({ header, column }) => [header, column] as const),
  ),
  ['dateDernierTraitementUniteLegale', 'touched'],
  ['dateDernierTraitementEtablissement', 'touched'],
]);

const knownFields = new Set([
  ...columnOf.keys(),
  ...stocks.flatMap(({ ignored = [] }) => ignored),
  ...Object.keys(establishment.shape),
  ...Object.keys(unit.shape),
  'dateFin',
]);

/**
 * Describes the dumps with answers to the requests `/siren` and `/siret` of the API Sirene 3.11. An answer is a page of
 * a list, a legal unit or an establishment, with or without the header object of the API. Each legal unit and each
 * establishment in an answer becomes a row of `stage.answer`. In a row of `stage.answer`, `own` has the columns of the
 * legal unit or establishment, and `unit` the columns of an establishment's legal unit.
 */
export const answers: DocumentDescription = {
  format: 'document',
  dump_kind: 'delta',
  country_code: 'FR',
  has_one_activity: true,
  identifyFile: (file) => (/\.(?:json|ndjson)$/i.test(file) ? file : null),
  async *readAnswers(from) {
    let line = 0;
    for await (const found of readEach(from, PAGE_BYTES, readPage)) {
      // The rows of a page are on the same line of the file, but each row needs a line number of its own.
      const rows =
        'answer' in found ? (found.answer as ReturnType<typeof readPage>)() : [undefined];
      for (const row of rows) {
        line = Math.max(line + 1, found.line);
        yield 'answer' in found ? readRow(line, row) : { ...found, line };
      }
    }
  },
};

/** Returns a function that lists the rows of a page, so that one faulty row does not reject the whole page. */
function readPage(text: string): () => readonly unknown[] {
  const parsed = page.safeParse(parseJson(text));
  if (!parsed.success) throw new UnusableAnswer(describeIssue('no answer of SIRENE', parsed.error));
  const { header, unitesLegales, uniteLegale, etablissements, etablissement } = parsed.data;
  const { statut = 200, message } = header ?? {};
  // The API Sirene answers with the status 404 if a list has no rows.
  if (statut === 404) return () => [];
  if (statut !== 200) throw new UnusableAnswer(`an answer of status ${statut}: ${message}`);
  const rows = unitesLegales ?? etablissements;
  if (rows) return () => rows;
  const row = 'siren' in parsed.data ? parsed.data : (etablissement ?? uniteLegale);
  if (row === undefined) throw new UnusableAnswer('an answer without a unit or an establishment');
  return () => [row];
}

function readRow(line: number, row: unknown): Answer {
  const text = JSON.stringify(row) ?? '';
  const isEstablishment = typeof row === 'object' && row !== null && 'siret' in row;
  const what = isEstablishment ? 'an establishment' : 'a unit';
  const parsed = isEstablishment ? establishment.safeParse(row) : unit.safeParse(row);
  if (!parsed.success) return reject(line, text, describeIssue(`not ${what}`, parsed.error));
  const { data } = parsed;
  // JSON writes the characters that PostgreSQL refuses as `\u` escapes, so a text without `\u` needs no check.
  const fault = text.includes('\\u') ? findFault(data) : undefined;
  if (fault !== undefined) return reject(line, text, fault);
  const found =
    'siret' in data
      ? {
          own: readFields(data, data.periodesEtablissement as Fields[]),
          unit: readFields(data.uniteLegale as Fields),
        }
      : { own: readFields(data, data.periodesUniteLegale) };
  return { line, raw: shorten(text), answer: { siren: data.siren, ...found, odd: listOdd(data) } };
}

/**
 * Returns the columns of a legal unit or an establishment, from its own fields, its address and its current period. Of
 * a closed unit or establishment, `date_debut` is the first day of the newest period that closed it.
 */
function readFields(fields: Fields, history: readonly Fields[] = []): Fields {
  const present = history.find(({ dateFin }) => dateFin === null || dateFin === '') ?? history[0];
  const closing = history.find(
    (period) =>
      isClosed(period) &&
      (period.changementEtatAdministratifUniteLegale === true ||
        period.changementEtatAdministratifEtablissement === true),
  );
  const told: Fields = {};
  const tell = (group: Fields | undefined) => {
    for (const name in group) {
      const column = columnOf.get(name);
      if (column !== undefined) told[column] = readValue(group[name]);
    }
  };
  [fields, fields.adresseEtablissement as Fields | undefined, present].forEach(tell);
  if (present && closing && isClosed(present)) tell({ dateDebut: closing.dateDebut });
  return told;
}

function isClosed(period: Fields): boolean {
  return (
    period.etatAdministratifUniteLegale === 'C' || period.etatAdministratifEtablissement === 'F'
  );
}

/** Returns a value in the form that it has in `stage.record`: tidied, or null if it is blank. */
function readValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return tidy(typeof value === 'string' ? value : JSON.stringify(value)) || null;
}

function describeIssue(what: string, { issues: [issue] }: z.ZodError): string {
  return `${what}: ${[...issue!.path, issue!.message].join(' ')}`;
}

/** Returns the names of an answer's unknown fields: those without a column in unit.csv and establishment.csv. */
function listOdd(value: object): OddValue[] {
  const odd = new Set<string>();
  const look = (found: object): void => {
    const isList = Array.isArray(found);
    for (const name in found) {
      if (!isList && !knownFields.has(name) && !/^changement[A-Z]/.test(name)) odd.add(name);
      const member = (found as Fields)[name];
      if (typeof member === 'object' && member !== null) look(member);
    }
  };
  look(value);
  return Array.from(odd, (name) => ({ subject: 'field', value: name }));
}
