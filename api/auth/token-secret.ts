import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The kind of a token: only requests with the Master Token may manage tokens and the account. */
export type TokenKind = 'master' | 'api';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base36 = base62.slice(0, 36);

const prefixes = { master: 'sk_live_', api: 'sk_api_' } as const;
/** A token secret has 43 base62 digits for 256 random bits, and 6 base62 digits for a checksum of 32 bits. */
const [randomDigits, checksumDigits] = [43, 6];
const refDigits = 12;

const secretForm = new RegExp(
  `^(?:sk_live_|sk_api_)[0-9A-Za-z]{${randomDigits + checksumDigits}}$`,
);

function createText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Returns the CRC-32 of a text as 6 base62 digits. */
function checksumOf(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < checksumDigits; rest = Math.floor(rest / 62))
    digits = base62[rest % 62] + digits;
  return digits;
}

/** Returns the SHA-256 of a token secret in hexadecimal digits: 256 random bits cannot be guessed from a fast hash. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Returns a new token secret, whose last digits (a CRC-32) reveal a mistyped secret without a database query. */
export function createSecret(kind: TokenKind): string {
  const text = prefixes[kind] + createText(base62, randomDigits);
  return text + checksumOf(text);
}

/** Returns whether a text has the form and the checksum of a token secret. */
export function isSecret(text: string): boolean {
  const body = text.slice(0, -checksumDigits);
  return secretForm.test(text) && checksumOf(body) === text.slice(-checksumDigits);
}

/** Returns a new random `user_ref` or `token_ref`: 12 upper-case letters or digits. */
export function createRef(): string {
  return createText(base36, refDigits);
}
