import { readFileSync } from 'node:fs';
import type { ExpectedEvent } from './expectation.ts';
import type { Row } from './snapshot.ts';

// A second opinion for the tests: the events and counts of a night as the two dumps alone give
// them, field by field. It shares no code with the generator, which knows what it changed.

type Event = Pick<
  ExpectedEvent,
  'event_type' | 'old_value' | 'new_value' | 'nip' | 'regon9' | 'name'
>;

/** What the comparison of two dumps gives. */
export interface Comparison {
  new: number;
  updated: number;
  deleted: number;
  events: Event[];
}

/** The dates of the two dumps. */
export interface Dates {
  yesterday: string;
  today: string;
}

/** Entries that were there once, by key, with the date of the dump from which they were gone. */
export type Struck = Map<string, { row: Row; date: string }>;

const key = new Map<string, string[]>();
const keyFile = new URL('../../sql/dictionary/activity_key.csv', import.meta.url);
for (const line of readFileSync(keyFile, 'utf8').trim().split(/\r?\n/).slice(1)) {
  const [old, now] = line.split(',');
  key.set(old!, [...(key.get(old!) ?? []), now!]);
}

function trimmed(row: Row): Row {
  const pairs = Object.entries(row).filter(([column]) => column !== 'Lp.');
  return Object.fromEntries(pairs.map(([c, v]) => [c, v.trim().replaceAll(/\s+/g, ' ')]));
}

/** The key of an entry: REGON, else NIP, else its names and start date. */
export function keyOf(row: Row): string {
  const names = [row.Nazwisko, row.Imie, row.NazwaPodmiotu, row.DataRozpoczeciaDzialalnosci];
  return row.Regon || row.Nip || names.join('|');
}

/** All rows of a day by key, without superfluous spaces; throws where a key is there twice. */
export function indexRows(reports: Map<string, Row[]>): Map<string, Row> {
  const index = new Map<string, Row>();
  for (const row of [...reports.values()].flat().map(trimmed)) {
    if (index.has(keyOf(row))) throw new Error(`twice: ${keyOf(row)}`);
    index.set(keyOf(row), row);
  }
  return index;
}

function addressOf(row: Row): string {
  const house = row.NrLokalu ? `${row.NrBudynku}/${row.NrLokalu}` : row.NrBudynku!;
  const lines = [`${row.Ulica} ${house}`, `${row.KodPocztowy} ${row.Miejscowosc}`, row.region!];
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(', ');
}

function codesOf(row: Row): string[] {
  return [row.GlownyKodPkd!, ...row.PozostaleKodyPkd!.split('$##$').filter(Boolean)];
}

type Tell = (type: string, old: string, now: string) => void;

function compareCodes(old: Row, now: Row, tell: Tell): void {
  const before = codesOf(old);
  const after = codesOf(now);
  const isMoved = old.RokPKD !== now.RokPKD;
  const leadsTo = (code: string): string[] => (isMoved ? (key.get(code) ?? [code]) : [code]);
  const isKept = (code: string): boolean => leadsTo(code).some((c) => after.includes(c));
  const isKnown = (code: string): boolean => before.some((c) => leadsTo(c).includes(code));
  if (isMoved) {
    const [from, to] = [before.filter(isKept), after.filter(isKnown)];
    tell('COMPANY_ACTIVITIES_RECLASSIFIED', from.toSorted().join(','), to.toSorted().join(','));
  }
  for (const code of before) if (!isKept(code)) tell('COMPANY_ACTIVITY_REMOVED', code, '');
  for (const code of after) if (!isKnown(code)) tell('COMPANY_ACTIVITY_ADDED', '', code);
  const [oldMain, main] = [before[0]!, after[0]!];
  if (!leadsTo(oldMain).includes(main)) tell('COMPANY_MAIN_ACTIVITY_CHANGED', oldMain, main);
}

function compareStatus(old: Row, now: Row, date: string, tell: Tell): void {
  const [end, newEnd] = [old.DataZakonczeniaDzialalnosci!, now.DataZakonczeniaDzialalnosci!];
  if (newEnd !== end) tell(newEnd ? 'COMPANY_CLOSED_DATE' : 'COMPANY_REOPENED', end, newEnd);
  const wasSuspended = old.StatusDzialalnosci === 'Zawieszony';
  const isSuspended = now.StatusDzialalnosci === 'Zawieszony';
  if (!wasSuspended && isSuspended) {
    tell('COMPANY_SUSPENDED', '', now.DataZawieszeniaDzialalnosci || date);
  }
  if (wasSuspended && !isSuspended) {
    const resumption = now.DataWznowieniaDzialalnosci || date;
    tell('COMPANY_RESUMED', old.DataZawieszeniaDzialalnosci!, resumption);
  }
}

function compareFields(old: Row, now: Row, tell: Tell): void {
  const change = (type: string, before: string, after: string): void => {
    if (before !== after) tell(type, before, after);
  };
  const [added, changed, removed] = ['ADDED', 'CHANGED', 'REMOVED'];
  const move = (type: string, before: string, after: string): void => {
    const verb = before === '' ? added : after === '' ? removed : changed;
    change(`COMPANY_${type}_${verb}`, before, after);
  };
  const [start, newStart] = [old.DataRozpoczeciaDzialalnosci!, now.DataRozpoczeciaDzialalnosci!];
  change('COMPANY_NAME_CHANGED', old.NazwaPodmiotu!, now.NazwaPodmiotu!);
  change('COMPANY_OWNER_CHANGED', `${old.Imie} ${old.Nazwisko}`, `${now.Imie} ${now.Nazwisko}`);
  change('COMPANY_START_DATE_CHANGE', start, newStart);
  move('PHONE', old.Telefon!, now.Telefon!);
  move('EMAIL', old.Email!, now.Email!);
  move('WEBSITE', old.AdresWWW!, now.AdresWWW!);
  move('ADDRESS', addressOf(old), addressOf(now));
  const taxVerb = old.Nip === '' ? 'ASSIGNED' : now.Nip === '' ? 'REVOKED' : 'CHANGED';
  change(`COMPANY_TAX_IDENTITY_${taxVerb}`, old.Nip!, now.Nip!);
  const regonType = old.Regon === '' ? 'COMPANY_REGON_ASSIGNED' : 'ANOMALY_REGON_CHANGE';
  change(regonType, old.Regon!, now.Regon!);
}

function statusOf(row: Row, date: string): string {
  const end = row.DataZakonczeniaDzialalnosci!;
  if (end !== '' && end <= date) return 'DELETED';
  return row.StatusDzialalnosci === 'Zawieszony' ? 'SUSPENDED' : 'ACTIVE';
}

/**
 * Compares two days. `struck` holds who went on earlier days and is brought up to date. A key that
 * vanished and one that appeared with the same NIP are one entry.
 */
export function compareDays(
  yesterday: Map<string, Row>,
  today: Map<string, Row>,
  dates: Dates,
  struck: Struck,
): Comparison {
  const result: Comparison = { new: 0, updated: 0, deleted: 0, events: [] };
  const tellOf =
    (row: Row): Tell =>
    (event_type, old, now) => {
      const [nip, regon9, name] = [row.Nip || null, row.Regon || null, row.NazwaPodmiotu || null];
      const values = { old_value: old || null, new_value: now || null };
      result.events.push({ event_type, ...values, nip, regon9, name });
    };
  const vanished = [...yesterday].filter(([k]) => !today.has(k));
  const byNip = new Map(vanished.filter(([, row]) => row.Nip).map(([k, row]) => [row.Nip!, k]));
  const gone = new Map(vanished);
  for (const [k, now] of today) {
    const tell = tellOf(now);
    const oldKey = yesterday.has(k) ? k : byNip.get(now.Nip!);
    const old = oldKey === undefined ? undefined : yesterday.get(oldKey);
    const back = struck.get(k);
    if (old !== undefined) {
      gone.delete(oldKey!);
      compareFields(old, now, tell);
      compareCodes(old, now, tell);
      compareStatus(old, now, dates.today, tell);
      if (JSON.stringify(old) !== JSON.stringify(now)) result.updated += 1;
    } else result.new += 1;
    if (old === undefined && back !== undefined) {
      tell('COMPANY_REOPENED', back.date, '');
      compareFields(back.row, now, tell);
      compareCodes(back.row, now, tell);
      struck.delete(k);
    }
  }
  for (const [k, row] of gone) {
    tellOf(row)('COMPANY_STRUCK_OFF', statusOf(row, dates.yesterday), dates.today);
    struck.set(k, { row, date: dates.today });
  }
  result.deleted = gone.size;
  return result;
}
