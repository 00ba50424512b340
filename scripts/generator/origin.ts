import { drawActivities } from './activity.ts';
import { drawAddress, drawVoivodeship, noAddress, withoutVoivodeship } from './address.ts';
import { isoDate } from './calendar.ts';
import { active, partnershipOnly, suspended, type Entry } from './entry.ts';
import type { Numbering } from './identifier.ts';
import { drawEmail, drawName, drawPerson, drawPhone, drawWebsite, uniqueName } from './person.ts';
import { Random } from './random.ts';

/** Which numbers an entry has. */
export type Holding = 'both' | 'nip' | 'regon' | 'none';

/** What has to be known of an entry to draw it as it stands on the day on which it appears. */
export interface Origin {
  /** Serial number of the entry: its own REGON and, where nothing else is said, its own NIP. */
  serial: number;
  /** Serial number of the person: entries that share a NIP have the same one. */
  person: number;
  holding: Holding;
  /** The NIP of another entry, where it is shared. */
  nip: string;
  /** The first dump that shows the entry, in days since 1970. */
  day: number;
  /** False for what was there before the first dump. */
  isNew: boolean;
}

// Measured on the reports of September 2026: rows without a voivodeship, the share of these rows that
// has an address, the three statuses, and rows still under PKD 2007.
const shareWithoutVoivodeship = 0.2006;
const shareOfAddressesThere = 0.0023;
const shareActive = 0.7652;
const shareSuspended = 0.2032;
const share2007 = 0.586;
const shareWithoutNumbers = 0.0011;

// Assumed: in the real report nearly every row has both numbers, and closed entries leave it.
const shareWithOneNumber = 0.004;
const shareWithEndDate = 0.002;

/** An end date that is not reached yet is at least so far away that no generated day reaches it. */
export const farAway_days = 60;

const random = new Random();

/** Which numbers the entry of a serial number has, when it shares none with another. */
export function drawHolding(seed: number, serial: number): Holding {
  const unit = random.start(seed, serial, 1).unit();
  if (unit < shareWithoutNumbers) return 'none';
  if (unit < shareWithoutNumbers + shareWithOneNumber) return 'nip';
  return unit < shareWithoutNumbers + 2 * shareWithOneNumber ? 'regon' : 'both';
}

type Course = Pick<Entry, 'status' | 'startDate' | 'endDate' | 'suspensionDate' | 'resumptionDate'>;

/** Status and dates of an entry that was there before `day`: they fit together and lie before it. */
function drawCourse(day: number): Course {
  const age = 2 + Math.floor(random.unit() ** 1.6 * 12_600);
  const start = day - age;
  const suspension = start + 1 + random.below(age - 1);
  const between = (from: number): number => from + random.below(day - from);
  const unit = random.unit();
  const course: Course = {
    status: active,
    startDate: isoDate(start),
    endDate: '',
    suspensionDate: '',
    resumptionDate: '',
  };
  if (unit >= shareActive + shareSuspended) course.status = partnershipOnly;
  else if (unit >= shareActive) {
    course.status = suspended;
    course.suspensionDate = isoDate(suspension);
    // Suspended for the second time: the resumption of the first time is still there.
    if (random.chance(0.15)) {
      course.resumptionDate = isoDate(start + random.below(suspension - start));
    }
  } else if (random.chance(0.14)) {
    course.suspensionDate = isoDate(suspension);
    course.resumptionDate = isoDate(between(suspension));
  }
  if (course.status !== partnershipOnly && random.chance(shareWithEndDate)) {
    const isReached = random.chance(0.5);
    course.endDate = isoDate(
      isReached ? between(suspension) : day + farAway_days + (suspension % 90),
    );
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

function drawFile(): number {
  return random.chance(shareWithoutVoivodeship) ? withoutVoivodeship : drawVoivodeship(random);
}

/** The entry as it stands in the first dump that shows it: the same for the same seed and origin. */
export function drawEntry(seed: number, numbering: Numbering, origin: Origin): Entry {
  const { serial, holding } = origin;
  const { firstName, surname } = drawPerson(random.start(seed, origin.person, 2));
  random.start(seed, serial, 3);
  const file = drawFile();
  const hasAddress = file !== withoutVoivodeship || random.chance(shareOfAddressesThere);
  const hasNip = holding === 'both' || holding === 'nip';
  const hasRegon = holding === 'both' || holding === 'regon';
  const drawn = drawName(random, firstName, surname);
  return {
    file,
    nip: hasNip ? origin.nip || numbering.nip(origin.person) : '',
    regon: hasRegon ? numbering.regon(serial) : '',
    name: holding === 'none' ? uniqueName(serial, firstName, surname) : drawn,
    surname,
    firstName,
    phone: random.chance(0.52) ? drawPhone(random) : '',
    email: random.chance(0.46) ? drawEmail(random, firstName, surname) : '',
    website: random.chance(0.11) ? drawWebsite(random, surname) : '',
    ...(hasAddress ? drawAddress(random, file) : noAddress),
    ...drawActivities(random, share2007),
    ...(origin.isNew ? drawNewCourse(origin.day) : drawCourse(origin.day)),
  };
}
