import { hash } from 'node:crypto';
import { isPossibleDay } from '../../calendar.ts';
import { type OddValue, UnusableAnswer } from '../answer.ts';
import { shorten } from '../rejects.ts';
import { fold, isRecord } from './fold-history.ts';
import { contentShape, type Folded, headerShape } from './shape.ts';

type Texts = Partial<Record<string, string>>;

/**
 * Reads an answer of KRS: an extract, with or without the outer key `odpis`, or an error answer. Throws an
 * `UnusableAnswer` for any other answer.
 *
 * @returns the object that `collect.sql` reads. Days are YYYY-MM-DD, but an unreadable day in `content` stays as
 *   written. `map.sql` makes an entry from the object, such as the persons with their roles.
 */
export function readExtract(value: unknown) {
  if (!isRecord(value)) throw new UnusableAnswer('no object, so no extract of KRS');
  const { odpis: extract = value, status, title } = value;
  // KRS may send an error answer in place of an extract: `{ type, title, status, traceId }`.
  if (extract === value && typeof status === 'number' && typeof title === 'string') {
    const odd = [{ subject: 'answer', value: `${status} ${shorten(title, 200)}` }];
    return { kind: 'problem' as const, odd };
  }
  if (!isRecord(extract)) throw new UnusableAnswer('odpis is no object');
  const { naglowekA, naglowekP, dane } = extract;
  if ((naglowekA === undefined) === (naglowekP === undefined)) {
    throw new UnusableAnswer('no extract of KRS: it needs either naglowekA or naglowekP');
  }
  const odd: OddValue[] = Object.keys({ ...value, ...extract })
    .filter((key) => !['odpis', 'rodzaj', 'naglowekA', 'naglowekP', 'dane'].includes(key))
    .map((key) => ({ subject: 'field', value: shorten(key, 200) }));
  const found = fold(headerShape, naglowekA ?? naglowekP, 'naglowek', { odd });
  if (!found) throw new UnusableAnswer('an empty header');
  const header = found as Texts;
  const entries = readEntries((found as { wpis?: Texts[] }).wpis);
  const last = naglowekP === undefined ? undefined : findStrikeOff(entries, odd);
  const sections = fold(contentShape, dane, 'dane', {
    last_entry: last?.number.toString(),
    entry_days: new Map(entries.flatMap(({ number, day }) => (day ? [[number, day]] : []))),
    odd,
  });
  const { dzial1 = {}, ...others } = (sections ?? {}) as { dzial1?: Identity };
  const identity = takeBranch(dzial1);
  if (identity.danePodmiotu?.nazwa === undefined)
    throw new UnusableAnswer('no name of the company in it', 'no_name');
  const content = {
    /** The current content of the extract, by the keys of `shape.csv`. */
    sections: { dzial1: identity, ...others } as Record<string, unknown>,
    registered_day: findDay(header.dataRejestracjiWKRS, entries[0]?.day),
    struck_off_day: findDay(header.dataWykreslenia, last?.day),
    /** The day on which the company's strike-off from KRS became final. */
    final_day: last?.final_day,
  };
  const entry_no = Number(header.numerOstatniegoWpisu ?? entries.at(-1)?.number);
  return {
    kind: 'extract' as const,
    form: naglowekP === undefined ? 'current' : 'full',
    krs: readNumber(header.numerKRS),
    /** The KRS register: `RejP` of entrepreneurs or `RejS` of associations and the like; a company may be in both. */
    register: header.rejestr,
    state_day: readable(header.stanZDnia),
    made_day: readable(header.dataCzasOdpisu),
    /** The number of the newest change in the court register that the extract includes. */
    entry_no: Number.isInteger(entry_no) && Math.abs(entry_no) < 2 ** 31 ? entry_no : undefined,
    last_entry_day: readable(header.dataOstatniegoWpisu),
    content,
    /** The hash of `content` without the keys that only full extracts state, to find extracts of equal content. */
    content_hash: hash(
      'sha256',
      JSON.stringify(content, (key, part: unknown) => (fullKeys.has(key) ? undefined : part)),
    ),
    odd,
  };
}

/** The keys that only full extracts have and `content_hash` omits; fold-history.ts adds these keys. */
const fullKeys = new Set(['entry_day', 'former_names']);

/** Returns the first text that is a day; if none is, the first text, for which map.sql keeps the known day. */
function findDay(...texts: (string | undefined)[]): string | undefined {
  return texts.find(readable) ?? texts.find(Boolean);
}

function readable(text: string | undefined): string | undefined {
  return text !== undefined && isPossibleDay(text) ? text : undefined;
}

type Place = Record<string, Folded | undefined>;

interface Identity {
  danePodmiotu?: Place;
  siedzibaIAdres?: Place;
  jednostkiTerenoweOddzialy?: Place[];
  danePodmiotuZagranicznego?: Place;
  siedzibaIAdresPodmiotuZagranicznego?: Place;
}

/**
 * Makes one entry of a foreign company and its branches, with the name and the numbers of the company. The address of
 * the entry is the company's seat in Poland, else its first branch. The company's seat abroad becomes a unit.
 */
function takeBranch(identity: Identity): Identity {
  const {
    danePodmiotuZagranicznego: company,
    siedzibaIAdresPodmiotuZagranicznego: abroad = {},
    jednostkiTerenoweOddzialy: branches = [],
    siedzibaIAdres: seat = branches[0],
    ...others
  } = identity;
  if (!company) return identity;
  const { formaPrawna, nazwaFormaPrawnaPrzedsiebiorcyZagranicznego: nameWithForm } = company;
  const nazwa = company.nazwa ?? nameWithForm ?? branches[0]?.nazwa;
  const isBranchForm = typeof formaPrawna === 'string' && /oddział/i.test(formaPrawna);
  const { siedziba, adres, ...contacts } = abroad;
  return {
    ...others,
    danePodmiotu: {
      ...others.danePodmiotu,
      ...company,
      nazwa,
      formaPrawna: isBranchForm ? formaPrawna : 'ODDZIAŁ ZAGRANICZNEGO PRZEDSIĘBIORCY',
    },
    siedzibaIAdres: { ...contacts, ...(seat ?? abroad) },
    jednostkiTerenoweOddzialy:
      seat && (siedziba ?? adres) ? [...branches, { nazwa, siedziba, adres }] : branches,
  };
}

function readNumber(krs = ''): string {
  if (!/^\d{10}$/.test(krs) || krs === '0000000000') {
    throw new UnusableAnswer(`the KRS number '${krs.slice(0, 50)}' is not valid`, 'invalid_krs');
  }
  return krs;
}

type Entry = ReturnType<typeof readEntries>[number];

/** Returns the register entries of a full extract, in the order of their numbers. */
function readEntries(entries: readonly Texts[] = []) {
  return entries
    .map(({ numerWpisu, dataWpisu, dataUprawomocnienia, opis = '' }) => ({
      number: Number(numerWpisu),
      day: readable(dataWpisu),
      final_day: dataUprawomocnienia,
      text: opis,
    }))
    .filter(({ number }) => Number.isSafeInteger(number))
    .toSorted((a, b) => a.number - b.number);
}

/** Returns the last register entry of an extract if this entry strikes the company off KRS, else undefined. */
function findStrikeOff(entries: readonly Entry[], odd: OddValue[]): Entry | undefined {
  const last = entries.at(-1);
  if (!last) throw new UnusableAnswer('a full extract without entries');
  if (/^WYKREŚLENIE (?:PODMIOTU )?Z KRAJOWEGO REJESTRU SĄDOWEGO/i.test(last.text)) return last;
  // A strike-off from one register (RejP or RejS) only is noted, because the company stays in the other register.
  if (/^WYKREŚL/i.test(last.text)) odd.push({ subject: 'entry', value: shorten(last.text, 200) });
  return undefined;
}
