import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ZipFile } from 'yazl';
import { files } from './address.ts';
import type { Entry } from './entry.ts';

/** How each report is stored. */
export const reportFormats = ['zip', 'csv', 'csv.gz'] as const;

export type ReportFormat = (typeof reportFormats)[number];

/** The columns of a report. */
export const header =
  'Lp.;Nip;Regon;NazwaPodmiotu;Nazwisko;Imie;Telefon;Email;AdresWWW;KodPocztowy;Powiat;Gmina;' +
  'Miejscowosc;Ulica;NrBudynku;NrLokalu;GlownyKodPkd;PozostaleKodyPkd;RokPKD;StatusDzialalnosci;' +
  'DataRozpoczeciaDzialalnosci;DataZakonczeniaDzialalnosci;DataZawieszeniaDzialalnosci;' +
  'DataWznowieniaDzialalnosci';

/** The file in a zip. */
export const memberName = 'Zarejestrowane działalności.csv';
const compressionLevel = 1;
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

/** The stored form of a report's bytes; the same bytes give the same file on every machine. */
function pack(bytes: Readable, format: ReportFormat): NodeJS.ReadableStream {
  if (format === 'csv') return bytes;
  if (format === 'csv.gz') return bytes.pipe(createGzip({ level: compressionLevel }));
  const zip = new ZipFile();
  zip.addReadStream(bytes, memberName, {
    compressionLevel,
    mode: 0o100644,
    // Only the DOS form, with a date made from local time, is the same in every time zone.
    mtime: new Date(2020, 0, 1),
    forceDosTimestamp: true,
  });
  zip.end();
  return zip.outputStream;
}

interface Report {
  stream: PassThrough;
  /** Settles when the file is closed. */
  written: Promise<void>;
  rows: number;
  /** Lines that wait to be handed on. */
  lines: string[];
}

function openReport(path: string, format: ReportFormat): Report {
  const stream = new PassThrough();
  const written = pipeline(pack(stream, format), createWriteStream(path));
  // The next row has to wait for the stream, and throws.
  written.catch(() => {});
  return { stream, written, rows: 0, lines: [`\uFEFF${header}\r\n`] };
}

/** Hands on what waits; resolves when there is room again. */
async function flush({ stream, written, lines }: Report): Promise<void> {
  const hasRoom = stream.write(lines.splice(0).join(''));
  // A file that has failed, as on a full disk, never drains.
  if (!hasRoom) await Promise.race([once(stream, 'drain'), written]);
}

/**
 * Writes the 17 reports of one day into the folder, which is created; reports of the same name in
 * another format are removed, so that no voivodeship is there twice. `entries` must come in the
 * order of the rows. Resolves with the number of rows of all reports; rejects when one of them
 * cannot be written, after all are closed.
 */
export async function writeReports(
  folder: string,
  format: ReportFormat,
  entries: Iterable<Entry>,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  const paths = files.map((voivodeship) => join(folder, reportName(voivodeship)));
  for (const path of paths) {
    for (const other of reportFormats) await rm(`${path}.${other}`, { force: true });
  }
  const reports = paths.map((path) => openReport(`${path}.${format}`, format));
  try {
    for (const entry of entries) {
      const report = reports[entry.file]!;
      report.rows += 1;
      report.lines.push(formatRow(report.rows, entry));
      if (report.lines.length >= chunk_rows) await flush(report);
    }
  } finally {
    for (const { stream, lines } of reports) stream.end(lines.join(''));
    await Promise.allSettled(reports.map(({ written }) => written));
  }
  await Promise.all(reports.map(({ written }) => written));
  return reports.reduce((sum, { rows }) => sum + rows, 0);
}
