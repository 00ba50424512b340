import { type Bir, errorCodeOf } from './bir.ts';
import { ServiceFault } from '../../fetch/service.ts';
import { type BirRow, fieldOf } from './soap.ts';

/** A line of `reports.ndjson`: an answer of BIR (REGON's API). `data` of an error answer is a row with `ErrorCode`. */
export interface ReportLine {
  report: string;
  /** The REGON of the entity, 9 digits, or of a local unit, 14 digits. */
  regon: string;
  data: BirRow[];
}

/** The kinds of activity of a person, as in BIR's names of reports; reports.csv has their `silo`. */
const activities = ['Ceidg', 'Rolnicza', 'Pozostala', 'SkreslonaDo20141108'];

/** The codes of the legal form "civil partnership": the current code, and the code that GUS used until 2014. */
const civilPartnership = new Set(['019', '19']);

/** The error codes of BIR that are results: not found, no activity codes, no civil partnership, no partners known. */
const tellingCodes = new Set(['4', '11', '21', '22']);

/**
 * Requests the full reports on one entity in their version BIR 1.2, which states the classification of each activity
 * code. Requests the list of local units only if the first report counts local units or `units` is not empty; otherwise
 * writes an empty list. If GUS does not know the REGON, `lines` holds only the error answer. Throws a `ServiceFault` if
 * BIR sends no usable answer.
 *
 * @param type P (legal person) or F (natural person); undefined if no search has returned the type
 * @param units the REGON14 of each local unit of the entity that is in the daily lists
 */
export async function readEntity(
  bir: Bir,
  { regon, type, units = [] }: { regon: string; type?: string | undefined; units?: string[] },
): Promise<{ outcome: 'had' | 'not_found'; lines: ReportLine[] }> {
  const lines: ReportLine[] = [];
  const ask = async (report: string, number = regon): Promise<BirRow[]> => {
    const data = await bir.report(report, number);
    checkAnswer(data, report, tellingCodes);
    lines.push({ report, regon: number, data });
    return data;
  };
  const kind = type ?? fieldOf((await ask('BIR12TypPodmiotu'))[0], 'Typ');
  const name = kind === 'P' ? 'BIR12OsPrawna' : kind === 'F' ? 'BIR12OsFizyczna' : undefined;
  if (name === undefined) return { outcome: 'not_found', lines };
  const general = await ask(kind === 'P' ? name : `${name}DaneOgolne`);
  if (errorCodeOf(general) !== undefined) return { outcome: 'not_found', lines };
  const [entity] = general;
  if (kind === 'F') {
    for (const activity of activities) {
      const count = `fiz_dzialalnosc${activity}`;
      if (isCounted(entity, count)) await ask(`${name}Dzialalnosc${activity}`);
    }
  }
  await ask(`${name}Pkd`);
  const unitCount = kind === 'P' ? 'praw_liczbaJednLokalnych' : 'fiz_liczbaJednLokalnych';
  const unitList = `${name}ListaJednLokalnych`;
  // After an entity has closed its last local unit, BIR counts no local units, but still lists the closed unit.
  if (units.length > 0 || isCounted(entity, unitCount)) await ask(unitList);
  else lines.push({ report: unitList, regon, data: [] });
  if (civilPartnership.has(fieldOf(entity, 'praw_szczegolnaFormaPrawna_Symbol'))) {
    await ask('BIR12OsPrawnaSpCywilnaWspolnicy');
  }
  const unitName = kind === 'P' ? 'BIR12JednLokalnaOsPrawnej' : 'BIR12JednLokalnaOsFizycznej';
  for (const unit of units) {
    const found = await ask(unitName, unit);
    if (errorCodeOf(found) === undefined) await ask(`${unitName}Pkd`, unit);
  }
  return { outcome: 'had', lines };
}

/** Returns the type of each entity in the result of a search, P (legal person) or F (natural person), by REGON9. */
export function typesIn(rows: readonly BirRow[]): Map<string, string> {
  const types = rows.map(
    (row) => [fieldOf(row, 'Regon').slice(0, 9), fieldOf(row, 'Typ')] as const,
  );
  return new Map(types.filter(([, type]) => type === 'P' || type === 'F'));
}

/** Throws a `ServiceFault` if an answer of BIR has an `ErrorCode` that is not in `telling`, as for a wrong date. */
export function checkAnswer(rows: readonly BirRow[], what: string, telling = new Set(['4'])): void {
  const code = errorCodeOf(rows);
  if (code === undefined || telling.has(code)) return;
  const row = rows.find(({ ErrorCode }) => ErrorCode === code)!;
  const text = row.ErrorMessageEn ?? row.DatabaseSearchResultEn ?? row.ErrorMessagePl ?? '';
  throw new ServiceFault(`REGON answers to ${what} with error ${code}: ${text.slice(0, 200)}`);
}

function isCounted(row: BirRow | undefined, name: string): boolean {
  const value = fieldOf(row, name);
  return value !== '0' && value !== '';
}
