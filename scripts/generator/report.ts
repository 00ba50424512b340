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
export type ReportFormat = 'zip' | 'csv' | 'csv.gz';

export const reportFormats: readonly ReportFormat[] = ['zip', 'csv', 'csv.gz'];

const header =
  'Lp.;Nip;Regon;NazwaPodmiotu;Nazwisko;Imie;Telefon;Email;AdresWWW;KodPocztowy;Powiat;Gmina;' +
  'Miejscowosc;Ulica;NrBudynku;NrLokalu;GlownyKodPkd;PozostaleKodyPkd;RokPKD;StatusDzialalnosci;' +
  'DataRozpoczeciaDzialalnosci;DataZakonczeniaDzialalnosci;DataZawieszeniaDzialalnosci;' +
  'DataWznowieniaDzialalnosci\r\n';

const member = 'Zarejestrowane działalności.csv';
const compressionLevel = 1;
const chunk_bytes = 256 * 1024;

/** The name of a report, without its format: that of the voivodeship, null = without one. */
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
  zip.on('error', (error: Error) => bytes.destroy(error));
  zip.addReadStream(bytes, member, {
    compressionLevel,
    mode: 0o100644,
    // The DOS form alone, with a date made from local time, is the same in every time zone.
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
  /** Rows that wait to be handed on, and how many bytes of them there are. */
  chunk: Buffer;
  filled_bytes: number;
  rows: number;
}

function openReport(path: string, format: ReportFormat, signal: AbortSignal): Report {
  const stream = new PassThrough({ highWaterMark: 2 * chunk_bytes });
  const written = pipeline(pack(stream, format), createWriteStream(path), { signal });
  // A full disk must stop the writer, who may be waiting for this very stream to drain; whoever
  // writes next or waits for `written` gets the error, so the event itself has nothing to add.
  stream.on('error', () => {});
  written.catch((error: Error) => stream.destroy(error));
  const chunk = Buffer.allocUnsafeSlow(chunk_bytes);
  return { stream, written, chunk, filled_bytes: chunk.write(`\uFEFF${header}`), rows: 0 };
}

/** Hands on what waits; resolves when there is room again. */
async function flush(report: Report): Promise<void> {
  const { stream, chunk, filled_bytes } = report;
  // A stream that has failed since would never drain.
  if (stream.errored !== null) throw stream.errored;
  // The stream keeps the chunk until it is written, so the next rows need another one.
  report.chunk = Buffer.allocUnsafeSlow(chunk_bytes);
  report.filled_bytes = 0;
  if (!stream.write(chunk.subarray(0, filled_bytes))) await once(stream, 'drain');
}

async function writeRows(reports: readonly Report[], entries: Iterable<Entry>): Promise<number> {
  let total = 0;
  for (const entry of entries) {
    const report = reports[entry.file]!;
    report.rows += 1;
    const row = formatRow(report.rows, entry);
    // Row by row into bytes: twice as fast as one long string, which has to be flattened first.
    if (report.filled_bytes + 3 * row.length > chunk_bytes) await flush(report);
    report.filled_bytes += report.chunk.write(row, report.filled_bytes);
    total += 1;
  }
  for (const report of reports) {
    report.stream.end(report.chunk.subarray(0, report.filled_bytes));
  }
  await Promise.all(reports.map(({ written }) => written));
  return total;
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
  for (const voivodeship of files) {
    for (const other of reportFormats) {
      await rm(join(folder, `${reportName(voivodeship)}.${other}`), { force: true });
    }
  }
  const stop = new AbortController();
  const reports = files.map((voivodeship) =>
    openReport(join(folder, `${reportName(voivodeship)}.${format}`), format, stop.signal),
  );
  try {
    return await writeRows(reports, entries);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(reports.map(({ written }) => written));
    throw error;
  }
}
