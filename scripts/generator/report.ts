import { appendFileSync, createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { files } from './address.ts';
import type { Entry } from './entry.ts';
import { pack, type TextFormat, textFormats } from './pack.ts';

export const header =
  'Lp.;Nip;Regon;NazwaPodmiotu;Nazwisko;Imie;Telefon;Email;AdresWWW;KodPocztowy;Powiat;Gmina;' +
  'Miejscowosc;Ulica;NrBudynku;NrLokalu;GlownyKodPkd;PozostaleKodyPkd;RokPKD;StatusDzialalnosci;' +
  'DataRozpoczeciaDzialalnosci;DataZakonczeniaDzialalnosci;DataZawieszeniaDzialalnosci;' +
  'DataWznowieniaDzialalnosci';

/** The file in a zip. */
export const memberName = 'Zarejestrowane działalności.csv';
const chunk_rows = 1000;

/** The name of the report of a voivodeship, without its format; null = without a voivodeship. */
export function reportName(voivodeship: string | null): string {
  const region = voivodeship === null ? 'brak województwa' : `województwo ${voivodeship}`;
  return `Zarejestrowane działalności - ${region}`;
}

/** RFC 4180: quotes only where the value needs them; there are no line breaks here. */
function quote(value: string): string {
  return value.includes('"') || value.includes(';') ? `"${value.replaceAll('"', '""')}"` : value;
}

/** One line of a report. Only a name can hold what needs quoting: all else comes from plain lists. */
function formatRow(number: number, e: Entry): string {
  return (
    `${number};${e.nip};${e.regon};${quote(e.name)};${e.surname};${e.firstName};${e.phone};` +
    `${e.email};${e.website};${e.postalCode};${e.county};${e.commune};${e.city};${e.street};` +
    `${e.building};${e.apartment};${e.mainCode};${e.otherCodes.join('$##$')};${e.codeYear};` +
    `${e.status};${e.startDate};${e.endDate};${e.suspensionDate};${e.resumptionDate}\r\n`
  );
}

/**
 * Writes the 17 reports of one day into the folder. Removes reports of the same name in another format,
 * since each voivodeship must be there once.
 *
 * @param entries in the order of the rows
 * @returns the number of rows
 */
export async function writeReports(
  folder: string,
  format: TextFormat,
  entries: Iterable<Entry>,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  const reports = files.map((voivodeship) => ({
    path: join(folder, reportName(voivodeship)),
    rows: 0,
    waiting: [`\uFEFF${header}\r\n`],
  }));
  for (const { path } of reports) {
    for (const other of textFormats) await rm(`${path}.${other}`, { force: true });
  }
  const flush = ({ path, waiting }: (typeof reports)[number]) =>
    appendFileSync(`${path}.csv`, waiting.splice(0).join(''));
  for (const entry of entries) {
    const report = reports[entry.file]!;
    report.rows += 1;
    report.waiting.push(formatRow(report.rows, entry));
    if (report.waiting.length >= chunk_rows) flush(report);
  }
  for (const report of reports) flush(report);
  if (format !== 'csv') {
    const packing = reports.map(async ({ path }) => {
      await pack(createReadStream(`${path}.csv`), `${path}.${format}`, format, memberName);
      await rm(`${path}.csv`);
    });
    await Promise.all(packing);
  }
  return reports.reduce((sum, { rows }) => sum + rows, 0);
}
