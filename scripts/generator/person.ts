import type { Entry } from './entry.ts';
import type { Random } from './random.ts';
import { readWords } from './table.ts';

const women = readWords('women');
const men = readWords('men');
const surnames = readWords('surnames');
const trades = readWords('trades');
const syllables = readWords('syllables');
const mailDomains = ['poczta.example', 'firma.example', 'biuro.example', 'example.com'];

/** Lower case without diacritics and spaces, as in addresses of the net. */
function plain(text: string): string {
  const bare = text.toLowerCase().replaceAll('ł', 'l').normalize('NFD');
  return bare.replaceAll(/[^a-z0-9-]/g, '');
}

type Names = Pick<Entry, 'firstName' | 'surname'>;

/** The names of an invented person; adjectival surnames follow the gender. */
export function drawPerson(random: Random): Names {
  const firstName = random.pickEarly(random.chance(0.36) ? women : men);
  return { firstName, surname: drawSurname(random, { firstName }) };
}

/** A surname that goes with the first name; a woman's may be a double one. */
export function drawSurname(random: Random, { firstName }: Pick<Names, 'firstName'>): string {
  const surname = random.pickEarly(surnames);
  if (!women.includes(firstName)) return surname;
  const own = surname.replace(/(?<=[sc]k|dzk)i$/, 'a');
  return random.chance(0.06) ? `${random.pick(surnames)}-${own}` : own;
}

function drawBrand(random: Random): string {
  const length = 2 + random.below(2);
  let brand = '';
  for (let i = 0; i < length; i += 1) brand += random.pick(syllables);
  return `${brand.toUpperCase()}${random.pick(['', 'X', 'EX', 'POL', 'BUD', 'TRANS'])}`;
}

/** The name of a firm: always with the owner's names, some with quotes or a semicolon. */
export function drawName(random: Random, { firstName, surname }: Names): string {
  const kind = random.unit();
  const owner = `${firstName} ${surname}`;
  if (kind < 0.3) return owner;
  if (kind < 0.55) return `${random.pick(trades)} ${owner}`;
  if (kind < 0.7) return `${owner} ${random.pick(trades)}`.toUpperCase();
  if (kind < 0.86) return `${drawBrand(random)} ${owner}`;
  if (kind < 0.93) return `P.H.U. "${drawBrand(random)}" ${owner}`;
  if (kind < 0.97) return `"${drawBrand(random)}" ${random.pick(trades)} ${owner}`;
  if (kind < 0.99) return `${owner} - ${random.pick(trades)}, ${random.pick(trades)}`;
  return `${random.pick(trades)}; ${random.pick(trades)} ${owner}`;
}

/** A name that no other entry has. Entries without NIP and REGON are known by nothing else. */
export function uniqueName(serial: number, { firstName, surname }: Names): string {
  return `Firma ${serial} ${firstName} ${surname}`;
}

/** A phone number in one of the ways of writing one; no area code of Poland starts with 10. */
export function drawPhone(random: Random): string {
  const digits = String(100_000_000 + random.below(10_000_000));
  const style = random.unit();
  if (style < 0.7) return digits;
  if (style < 0.85) return `+48${digits}`;
  return `${digits.slice(0, 2)} ${digits.slice(2, 5)} ${digits.slice(5, 7)} ${digits.slice(7)}`;
}

/** An e-mail address at a domain that is reserved for examples. */
export function drawEmail(random: Random, { firstName, surname }: Names): string {
  const number = random.below(10_000);
  return `${plain(firstName)}.${plain(surname)}${number}@${random.pick(mailDomains)}`;
}

/** A website at a domain that is reserved for examples. */
export function drawWebsite(random: Random, { surname }: Names): string {
  const brand = drawBrand(random).toLowerCase();
  const host = `${plain(surname)}-${brand}${random.below(1000)}.example`;
  return random.chance(0.6) ? `www.${host}` : `https://${host}`;
}
