import { drawCode, reclassify, reclassifyPartly } from './activity.ts';
import {
  addressLine,
  drawAddress,
  drawVoivodeship,
  noAddress,
  withoutVoivodeship,
} from './address.ts';
import { dayNumber, isoDate } from './calendar.ts';
import { active, allCodes, clean, hasNoNumber, suspended, type Entry } from './entry.ts';
import type { Numbering } from './identifier.ts';
import { farAway_days } from './origin.ts';
import { drawEmail, drawName, drawPhone, drawSurname, drawWebsite } from './person.ts';
import type { Random } from './random.ts';
import type { ChangeKind } from './share.ts';

/** What a change needs besides the entry; `serial` is a serial number that no entry has had. */
export interface Occasion {
  random: Random;
  numbering: Numbering;
  serial: number;
  /** Date of the dump, in days since 1970. */
  day: number;
}

/** The fields that change, or undefined where this kind does not suit the entry. */
type Change = (entry: Entry, occasion: Occasion) => Partial<Entry> | undefined;

/** The kinds of change but those that come and go with the whole row. */
export type FieldKind = Exclude<ChangeKind, 'gone' | 'back' | 'new' | 'new_shared'>;

/** Draws again until the comparison sees a difference. */
function drawOther(before: string, draw: () => string): string {
  for (;;) {
    const drawn = draw();
    if (clean(drawn) !== clean(before)) return drawn;
  }
}

function changeAddress(entry: Entry, { random }: Occasion): Partial<Entry> | undefined {
  if (entry.city === '') return undefined;
  for (;;) {
    const address = drawAddress(random, entry.file);
    if (addressLine({ ...entry, ...address }) !== addressLine(entry)) return address;
  }
}

function move(entry: Entry, { random }: Occasion): Partial<Entry> | undefined {
  if (entry.file === withoutVoivodeship) return undefined;
  let file = entry.file;
  while (file === entry.file) file = drawVoivodeship(random);
  // Sometimes the rest of the address stays as it is: only the file says that it is another one.
  return random.chance(0.2) ? { file } : { file, ...drawAddress(random, file) };
}

function addAddress(entry: Entry, { random }: Occasion): Partial<Entry> | undefined {
  if (addressLine(entry) !== null) return undefined;
  const file = random.chance(0.9) ? drawVoivodeship(random) : withoutVoivodeship;
  return { file, ...drawAddress(random, file) };
}

function suspend(entry: Entry, { random, day }: Occasion): Partial<Entry> | undefined {
  if (entry.status !== active || entry.endDate !== '') return undefined;
  // The date is sometimes blank: then the dump's own date has to serve.
  if (random.chance(0.1)) return { status: suspended, suspensionDate: '', resumptionDate: '' };
  const date = isoDate(Math.max(day - random.below(14), dayNumber(entry.startDate)));
  const resumptionDate = entry.resumptionDate < date ? entry.resumptionDate : '';
  return { status: suspended, suspensionDate: date, resumptionDate };
}

function resume(entry: Entry, { random, day }: Occasion): Partial<Entry> | undefined {
  if (entry.status !== suspended || entry.endDate !== '' || entry.suspensionDate === '') {
    return undefined;
  }
  if (random.chance(0.1)) return { status: active, resumptionDate: '' };
  const date = Math.max(day - random.below(7), dayNumber(entry.suspensionDate));
  return { status: active, resumptionDate: isoDate(date) };
}

function drawFuture({ random, day }: Occasion): string {
  return isoDate(day + farAway_days + random.below(120));
}

function setClosing(entry: Entry, occasion: Occasion): Partial<Entry> | undefined {
  const { random, day } = occasion;
  if (entry.endDate !== '') return undefined;
  if (random.chance(0.4)) return { endDate: drawFuture(occasion) };
  return { endDate: isoDate(Math.max(day - random.below(20), dayNumber(entry.startDate))) };
}

/** A closing date that lies ahead becomes another one that does: the status stays as it is. */
function moveClosing(entry: Entry, occasion: Occasion): Partial<Entry> | undefined {
  if (entry.endDate <= isoDate(occasion.day)) return undefined;
  return { endDate: drawOther(entry.endDate, () => drawFuture(occasion)) };
}

function spaceOut(entry: Entry, { random }: Occasion): Partial<Entry> {
  const fields = (['name', 'surname', 'city', 'street'] as const).filter(
    (key) => entry[key] !== '',
  );
  const field = random.pick(fields);
  const value = entry[field];
  const style = random.below(3);
  if (style === 0 && value.includes(' ')) return { [field]: value.replace(' ', '  ') };
  return { [field]: style === 1 ? ` ${value}` : `${value} ` };
}

function respell(county: string): string {
  return county.startsWith('powiat ') ? county.slice('powiat '.length) : `powiat ${county}`;
}

function replaceMain(entry: Entry, { random }: Occasion): Partial<Entry> {
  return { mainCode: drawCode(random, entry.codeYear, allCodes(entry)) };
}

function swapMain(entry: Entry, { random }: Occasion): Partial<Entry> | undefined {
  if (entry.otherCodes.length === 0) return undefined;
  const mainCode = random.pick(entry.otherCodes);
  const otherCodes = entry.otherCodes.map((code) => (code === mainCode ? entry.mainCode : code));
  return { mainCode, otherCodes };
}

function removeCode(entry: Entry, { random }: Occasion): Partial<Entry> | undefined {
  if (entry.otherCodes.length === 0) return undefined;
  const removed = random.pick(entry.otherCodes);
  return { otherCodes: entry.otherCodes.filter((code) => code !== removed) };
}

/**
 * What each kind of change does to the fields of an entry. A change of the key of an entry without
 * numbers would make another entry, so it does not suit. Identity kinds keep one number.
 */
export const changes: Record<FieldKind, Change> = {
  name: (e, { random }) =>
    hasNoNumber(e)
      ? undefined
      : { name: drawOther(e.name, () => drawName(random, e.firstName, e.surname)) },
  owner: (e, { random }) =>
    hasNoNumber(e)
      ? undefined
      : { surname: drawOther(e.surname, () => drawSurname(random, e.firstName)) },
  start_date: (e, { random }) =>
    hasNoNumber(e)
      ? undefined
      : { startDate: isoDate(dayNumber(e.startDate) - 1 - random.below(400)) },
  phone_added: (e, { random }) => (e.phone ? undefined : { phone: drawPhone(random) }),
  phone_changed: (e, { random }) =>
    e.phone ? { phone: drawOther(e.phone, () => drawPhone(random)) } : undefined,
  phone_removed: (e) => (e.phone ? { phone: '' } : undefined),
  email_added: (e, { random }) =>
    e.email ? undefined : { email: drawEmail(random, e.firstName, e.surname) },
  email_changed: (e, { random }) =>
    e.email
      ? { email: drawOther(e.email, () => drawEmail(random, e.firstName, e.surname)) }
      : undefined,
  email_removed: (e) => (e.email ? { email: '' } : undefined),
  website_added: (e, { random }) =>
    e.website ? undefined : { website: drawWebsite(random, e.surname) },
  website_changed: (e, { random }) =>
    e.website ? { website: drawOther(e.website, () => drawWebsite(random, e.surname)) } : undefined,
  website_removed: (e) => (e.website ? { website: '' } : undefined),
  address_added: addAddress,
  address_changed: changeAddress,
  address_removed: (e) =>
    addressLine(e) === null ? undefined : { file: withoutVoivodeship, ...noAddress },
  moved: move,
  activity_added: (e, { random }) => ({
    otherCodes: [...e.otherCodes, drawCode(random, e.codeYear, allCodes(e))],
  }),
  activity_removed: removeCode,
  main_swapped: swapMain,
  main_replaced: replaceMain,
  reclassified: (e, { random }) => (e.codeYear === '2007' ? reclassify(random, e) : undefined),
  reclassified_partly: (e, { random }) =>
    e.codeYear === '2007' ? reclassifyPartly(random, e) : undefined,
  suspended: suspend,
  resumed: resume,
  closing_set: setClosing,
  closing_moved: moveClosing,
  closing_withdrawn: (e) => (e.endDate ? { endDate: '' } : undefined),
  nip_changed: (e, o) => (e.nip && e.regon ? { nip: o.numbering.nip(o.serial) } : undefined),
  nip_assigned: (e, o) => (!e.nip && e.regon ? { nip: o.numbering.nip(o.serial) } : undefined),
  nip_revoked: (e) => (e.nip && e.regon ? { nip: '' } : undefined),
  regon_changed: (e, o) => (e.nip && e.regon ? { regon: o.numbering.regon(o.serial) } : undefined),
  regon_assigned: (e, o) =>
    e.nip && !e.regon ? { regon: o.numbering.regon(o.serial) } : undefined,
  regon_revoked: (e) => (e.nip && e.regon ? { regon: '' } : undefined),
  county: (e) => (e.county ? { county: respell(e.county) } : undefined),
  whitespace: spaceOut,
};
