import { drawCode, reclassify, reclassifyPartly } from './activity.ts';
import { addressLine, drawAddress, drawFile, withoutVoivodeship } from './address.ts';
import { dayNumber, isoDate } from './calendar.ts';
import { addNewcomer, type Country } from './country.ts';
import { farAway_days } from './draw-entry.ts';
import { active, allCodes, clean, noAddress, suspended, type Entry } from './entry.ts';
import { drawEmail, drawName, drawPhone, drawSurname, drawWebsite } from './person.ts';
import type { Random } from './random.ts';

/** What a change may depend on besides the entry. */
export interface Occasion {
  random: Random;
  country: Country;
  /** Date of the dump, in days since 1970. */
  day: number;
}

/** @returns the fields that change */
type Change = (entry: Entry, occasion: Occasion) => Partial<Entry>;

export interface Kind {
  /** Of all entries, the part that it touches a day. */
  share: number;
  /** The entries that can change in this way; absent: all that the last dump showed. */
  suits?: (entry: Entry, occasion: Occasion) => boolean;
  change: Change;
}

const lacksOnlyNip = (entry: Entry) => entry.nip === '' && entry.regon !== '';
const lacksOnlyRegon = (entry: Entry) => entry.nip !== '' && entry.regon === '';
/** Without numbers, the names and the start date are the key: a change would make another entry. */
const hasNumber = (entry: Entry) => entry.nip !== '' || entry.regon !== '';
/** One number can change, and the other one still identifies the entry. */
const hasSpareNumber = ({ nip, regon, isShared }: Entry) => nip !== '' && regon !== '' && !isShared;
const isOf2007 = (entry: Entry) => entry.codeYear === '2007';
const hasOtherCodes = (entry: Entry) => entry.otherCodes.length > 0;
const isClosing = (entry: Entry) => entry.endDate !== '';
const isClosingLater = ({ endDate }: Entry, { day }: Occasion) => endDate > isoDate(day);
const isOpen = (entry: Entry) => !isClosing(entry);
const isActive = (entry: Entry) => entry.status === active && isOpen(entry);
const isSuspended = (entry: Entry) =>
  entry.status === suspended && entry.suspensionDate !== '' && isOpen(entry);

/**
 * Draws a field again until the comparison sees a difference. A part of the values that are there
 * becomes blank instead.
 */
function redraw(
  key: 'name' | 'surname' | 'phone' | 'email' | 'website',
  draw: (random: Random, entry: Entry) => string,
  blankShare = 0,
): Change {
  return (entry, { random }) => {
    if (entry[key] !== '' && random.chance(blankShare)) return { [key]: '' };
    for (;;) {
      const value = draw(random, entry);
      if (clean(value) !== clean(entry[key])) return { [key]: value };
    }
  };
}

/** An address is added, changed or removed; some changes lead to another voivodeship. */
function changeAddress(entry: Entry, { random }: Occasion): Partial<Entry> {
  const isThere = addressLine(entry) !== '';
  if (isThere && random.chance(0.1)) return { file: withoutVoivodeship, ...noAddress };
  const file = isThere && random.chance(0.85) ? entry.file : drawFile(random);
  // Sometimes the rest of the address stays as it is: only the file says that it is another one.
  if (isThere && file !== entry.file && random.chance(0.2)) return { file };
  for (;;) {
    const address = { file, ...drawAddress(random, file) };
    if (addressLine({ ...entry, ...address }) !== addressLine(entry)) return address;
  }
}

function suspend(entry: Entry, { random, day }: Occasion): Partial<Entry> {
  // The date is sometimes blank: then the dump's own date has to serve.
  if (random.chance(0.1)) return { status: suspended, suspensionDate: '', resumptionDate: '' };
  const date = isoDate(Math.max(day - random.below(14), dayNumber(entry.startDate)));
  const resumptionDate = entry.resumptionDate < date ? entry.resumptionDate : '';
  return { status: suspended, suspensionDate: date, resumptionDate };
}

function resume(entry: Entry, { random, day }: Occasion): Partial<Entry> {
  if (random.chance(0.1)) return { status: active, resumptionDate: '' };
  const date = Math.max(day - random.below(7), dayNumber(entry.suspensionDate));
  return { status: active, resumptionDate: isoDate(date) };
}

function setClosing(entry: Entry, { random, day }: Occasion): Partial<Entry> {
  if (random.chance(0.4)) return { endDate: isoDate(day + farAway_days + random.below(120)) };
  return { endDate: isoDate(Math.max(day - random.below(20), dayNumber(entry.startDate))) };
}

function postponeClosing({ endDate }: Entry, { random }: Occasion): Partial<Entry> {
  return { endDate: isoDate(dayNumber(endDate) + 1 + random.below(90)) };
}

function advanceStart({ startDate }: Entry, { random }: Occasion): Partial<Entry> {
  return { startDate: isoDate(dayNumber(startDate) - 1 - random.below(400)) };
}

function spaceOut(entry: Entry, { random }: Occasion): Partial<Entry> {
  const keys = (['name', 'surname', 'city', 'street'] as const).filter((key) => entry[key] !== '');
  const key = random.pick(keys);
  const value = entry[key];
  return { [key]: random.pick([` ${value}`, `${value} `, ` ${value.replace(' ', '  ')}`]) };
}

function respellCounty({ county }: Entry): Partial<Entry> {
  const isLong = county.startsWith('powiat ');
  return { county: isLong ? county.slice('powiat '.length) : `powiat ${county}` };
}

function swapMain({ mainCode: before, otherCodes }: Entry, { random }: Occasion): Partial<Entry> {
  const mainCode = random.pick(otherCodes);
  return { mainCode, otherCodes: otherCodes.map((code) => (code === mainCode ? before : code)) };
}

function removeCode({ otherCodes }: Entry, { random }: Occasion): Partial<Entry> {
  const removed = random.pick(otherCodes);
  return { otherCodes: otherCodes.filter((code) => code !== removed) };
}

function addCode(entry: Entry, { random }: Occasion): Partial<Entry> {
  const added = drawCode(random, entry.codeYear, allCodes(entry));
  return { otherCodes: [...entry.otherCodes, added] };
}

function replaceMain(entry: Entry, { random }: Occasion): Partial<Entry> {
  return { mainCode: drawCode(random, entry.codeYear, allCodes(entry)) };
}

/** Gives a number that no other entry has had. */
function assign(key: 'nip' | 'regon'): Change {
  return (_, { country }) => ({ [key]: country.numbering[key]((country.freshSerial -= 1)) });
}

function addShared(entry: Entry, { country, day }: Occasion): Partial<Entry> {
  addNewcomer(country, day, entry);
  return { isShared: true };
}

/** Any entry serves as the occasion: it stays as it is. */
function addNew(_: Entry, { country, day }: Occasion): Partial<Entry> {
  addNewcomer(country, day);
  return {};
}

export type ChangeKind = keyof typeof kinds;

/**
 * The kinds of change. Together they touch about half a percent a day; in the real report 13,000 of
 * 3.56 million entries change (0.36 %). Entries are chosen in this order: kinds that suit few entries
 * come first, and those that bring new entries last.
 */
export const kinds = {
  back: { share: 0.000_01, change: () => ({ goneOn: undefined }) },
  closing_withdrawn: { share: 0.000_01, suits: isClosing, change: () => ({ endDate: '' }) },
  closing_moved: { share: 0.000_01, suits: isClosingLater, change: postponeClosing },
  nip_assigned: { share: 0.000_01, suits: lacksOnlyNip, change: assign('nip') },
  regon_assigned: { share: 0.000_01, suits: lacksOnlyRegon, change: assign('regon') },
  nip_changed: { share: 0.000_01, suits: hasSpareNumber, change: assign('nip') },
  nip_revoked: { share: 0.000_01, suits: hasSpareNumber, change: () => ({ nip: '' }) },
  regon_changed: { share: 0.000_01, suits: hasSpareNumber, change: assign('regon') },
  regon_revoked: { share: 0.000_01, suits: hasSpareNumber, change: () => ({ regon: '' }) },
  website: { share: 0.000_18, change: redraw('website', drawWebsite, 0.25) },
  phone: { share: 0.000_38, change: redraw('phone', drawPhone, 0.25) },
  email: { share: 0.000_35, change: redraw('email', drawEmail, 0.25) },
  address: { share: 0.000_67, change: changeAddress },
  reclassified_partly: { share: 0.000_1, suits: isOf2007, change: reclassifyPartly },
  reclassified: { share: 0.001_4, suits: isOf2007, change: reclassify },
  main_swapped: { share: 0.000_08, suits: hasOtherCodes, change: swapMain },
  main_replaced: { share: 0.000_06, change: replaceMain },
  activity_added: { share: 0.000_2, change: addCode },
  activity_removed: { share: 0.000_1, suits: hasOtherCodes, change: removeCode },
  suspended: { share: 0.000_25, suits: isActive, change: suspend },
  resumed: { share: 0.000_15, suits: isSuspended, change: resume },
  closing_set: { share: 0.000_08, suits: isOpen, change: setClosing },
  start_date: { share: 0.000_03, suits: hasNumber, change: advanceStart },
  name: { share: 0.000_2, suits: hasNumber, change: redraw('name', drawName) },
  owner: { share: 0.000_1, suits: hasNumber, change: redraw('surname', drawSurname) },
  county: { share: 0.000_08, suits: ({ county }) => county !== '', change: respellCounty },
  whitespace: { share: 0.000_08, change: spaceOut },
  gone: { share: 0.000_15, change: (_, { day }) => ({ goneOn: day }) },
  new: { share: 0.000_3, change: addNew },
  new_shared: { share: 0.000_01, suits: ({ nip }) => nip !== '', change: addShared },
} satisfies Record<string, Kind>;

/** In the order of the night. */
export const changeKinds = Object.keys(kinds) as ChangeKind[];
