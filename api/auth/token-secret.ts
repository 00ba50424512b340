import { hash, randomBytes, randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';

/** The Master Token manages tokens and reaches everything; an API token reaches the data. */
export type TokenKind = 'master' | 'api';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base36 = base62.slice(0, 36);

const prefixes = { master: 'sk_live_', api: 'sk_api_' } as const;
const secretBytes = 32;
/** Digits that 256 bits of randomness, and the 32 bits of the checksum, take in base 62. */
const [randomDigits, checksumDigits] = [43, 6];
const refDigits = 12;

const secretForm = new RegExp(
  `^(?:sk_live_|sk_api_)[0-9A-Za-z]{${randomDigits + checksumDigits}}$`,
);

function toBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n)
    text = base62[Number(rest % 62n)] + text;
  return text;
}

function checksumOf(text: string): string {
  return toBase62(BigInt(crc32(text)), checksumDigits);
}

/** SHA-256 of a secret, 64 hexadecimal digits: enough for 256 bits of randomness, unlike a password. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/**
 * Makes a token secret: the prefix of its kind, 256 random bits as 43 base62 digits, and 6 digits
 * with the CRC-32 of all that. The checksum tells a mistyped token without a query.
 */
export function createSecret(kind: TokenKind): string {
  const random = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`);
  const text = prefixes[kind] + toBase62(random, randomDigits);
  return text + checksumOf(text);
}

/** Makes a `user_ref` or `token_ref`: 12 upper-case alphanumeric characters. */
export function createRef(): string {
  return Array.from({ length: refDigits }, () => base36[randomInt(base36.length)]).join('');
}

/**
 * Reads the token in the `Authorization` header of a request.
 *
 * @returns the hash of its secret, or the error of the 401 when no account can have it
 */
export function readBearer(request: IncomingMessage) {
  const header = request.headers.authorization?.trim() ?? '';
  if (header === '' || /^bearer$/i.test(header)) return { error: 'Missing API token' };
  const secret = /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';
  const body = secret.slice(0, -checksumDigits);
  if (!secretForm.test(secret) || checksumOf(body) !== secret.slice(-checksumDigits)) {
    return { error: 'Malformed token format' };
  }
  return { hash: hashSecret(secret) };
}
