import { drawActivities } from './activity.ts';
import { drawAddress, drawFile, withoutVoivodeship } from './address.ts';
import { isoDate } from './calendar.ts';
import { active, noAddress, partnershipOnly, suspended, type Entry } from './entry.ts';
import type { Numbering } from './identifier.ts';
import { drawEmail, drawName, drawPerson, drawPhone, drawWebsite, uniqueName } from './person.ts';
import { Random } from './random.ts';

/** What decides an entry: its owner the names and the NIP, its serial number the REGON. */
interface Origin extends Pick<Entry, 'owner' | 'isShared'> {
  serial: number;
  /** The first dump that shows the entry, in days since 1970. */
  day: number;
  /** False for what was there before the first dump. */
  isNew: boolean;
}

// Measured on the reports of September 2026: the share of the rows without a voivodeship that has an
// address, the three statuses, and rows without numbers.
const shareOfAddressesThere = 0.0023;
const shareActive = 0.7652;
const shareSuspended = 0.2032;
const shareWithoutNumbers = 0.0011;

// Assumed: in the real report nearly every row has both numbers, and closed entries leave it.
const shareWithOneNumber = 0.008;
const shareWithEndDate = 0.002;

/** An end date that is not reached yet is at least so far away that no generated day reaches it. */
export const farAway_days = 60;

const random = new Random();

function drawNumbers(numbering: Numbering, origin: Origin): Pick<Entry, 'nip' | 'regon'> {
  const numbers = { nip: numbering.nip(origin.owner), regon: numbering.regon(origin.serial) };
  const unit = random.unit();
  // Shared entries have both, so that their keys differ.
  if (origin.isShared || unit >= shareWithoutNumbers + shareWithOneNumber) return numbers;
  if (unit < shareWithoutNumbers) return { nip: '', regon: '' };
  return random.chance(0.5) ? { ...numbers, nip: '' } : { ...numbers, regon: '' };
}

type Course = Pick<Entry, 'status' | 'startDate' | 'endDate' | 'suspensionDate' | 'resumptionDate'>;

function drawStatus(): string {
  const unit = random.unit();
  if (unit < shareActive) return active;
  return unit < shareActive + shareSuspended ? suspended : partnershipOnly;
}

/** A day from the first one on, before the second one. */
function drawDate(from: number, to: number): string {
  return isoDate(from + random.below(to - from));
}

/** Status and dates of an entry that was there before `day`: they fit together and lie before it. */
function drawCourse(day: number): Course {
  const start = day - 2 - Math.floor(random.unit() ** 1.6 * 12_600);
  const suspension = start + 1 + random.below(day - start - 1);
  const status = drawStatus();
  const course = { ...drawNewCourse(day), status, startDate: isoDate(start) };
  if (status === suspended) {
    course.suspensionDate = isoDate(suspension);
    // Suspended for the second time: the resumption of the first time is still there.
    if (random.chance(0.15)) course.resumptionDate = drawDate(start, suspension);
  } else if (status === active && random.chance(0.14)) {
    course.suspensionDate = isoDate(suspension);
    course.resumptionDate = drawDate(suspension, day);
  }
  if (status !== partnershipOnly && random.chance(shareWithEndDate)) {
    const future = day + farAway_days;
    course.endDate = random.chance(0.5) ? drawDate(suspension, day) : drawDate(future, future + 90);
  }
  return course;
}

function drawNewCourse(day: number): Course {
  return {
    status: random.chance(0.97) ? active : partnershipOnly,
    startDate: isoDate(day - random.below(14)),
    endDate: '',
    suspensionDate: '',
    resumptionDate: '',
  };
}

/** The entry as it stands in the first dump that shows it: the same for the same seed and origin. */
export function drawEntry(seed: number, numbering: Numbering, origin: Origin): Entry {
  const { serial, owner, isShared } = origin;
  const names = drawPerson(random.start(seed, owner, 2));
  random.start(seed, serial, 3);
  const file = drawFile(random);
  const hasAddress = file !== withoutVoivodeship || random.chance(shareOfAddressesThere);
  const numbers = drawNumbers(numbering, origin);
  const isKnownByName = numbers.nip === '' && numbers.regon === '';
  return {
    file,
    owner,
    isShared,
    goneOn: undefined,
    ...numbers,
    name: isKnownByName ? uniqueName(serial, names) : drawName(random, names),
    ...names,
    phone: random.chance(0.52) ? drawPhone(random) : '',
    email: random.chance(0.46) ? drawEmail(random, names) : '',
    website: random.chance(0.11) ? drawWebsite(random, names) : '',
    ...(hasAddress ? drawAddress(random, file) : noAddress),
    ...drawActivities(random),
    ...(origin.isNew ? drawNewCourse(origin.day) : drawCourse(origin.day)),
  };
}
