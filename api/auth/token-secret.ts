import { hash, randomBytes, randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';

/** The Master Token manages the others and itself reaches everything; an API token only the data. */
export type TokenKind = 'master' | 'api';

/** A well-formed token that a request showed; the secret itself is kept nowhere. */
export interface Bearer {
  kind: TokenKind;
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  hash: string;
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base36 = base62.slice(0, 36);

const prefixes = { master: 'sk_live_', api: 'sk_api_' } as const;
const secretBytes = 32;
/** Digits that 256 bits of randomness, and the 32 bits of the checksum, take in base 62. */
const [randomDigits, checksumDigits] = [43, 6];
const refDigits = 12;

const secretForm = new RegExp(`^(sk_live_|sk_api_)[0-9A-Za-z]{${randomDigits + checksumDigits}}$`);

function toBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n)
    text = base62[Number(rest % 62n)] + text;
  return text;
}

// Each request has one checked, and numbers of 32 bits need no bigints.
function checksumOf(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < checksumDigits; rest = Math.floor(rest / 62))
    digits = base62[rest % 62] + digits;
  return digits;
}

/** SHA-256 of a secret, 64 hexadecimal digits: enough for 256 bits of randomness, unlike a password. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/**
 * Makes a token secret: the prefix of its kind, 256 random bits as 43 base62 digits, and 6 digits
 * with the CRC-32 of all that, by which a mistyped token is told without a look-up.
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

type Shown = Bearer | 'missing' | 'malformed';

// A request is asked for its token more than once: by its limit, and by who lets it in.
const shown = new WeakMap<IncomingMessage, Shown>();

/**
 * The token in the `Authorization` header of a request. `missing` when there is none; `malformed`
 * when no account can have such a token.
 */
export function readBearer(request: IncomingMessage): Shown {
  const known = shown.get(request);
  if (known) return known;
  const bearer = parseBearer(request.headers.authorization?.trim() ?? '');
  shown.set(request, bearer);
  return bearer;
}

function parseBearer(header: string): Shown {
  if (header === '' || /^bearer$/i.test(header)) return 'missing';
  const secret = /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';
  const prefix = secretForm.exec(secret)?.[1];
  const body = secret.slice(0, -checksumDigits);
  if (prefix === undefined || checksumOf(body) !== secret.slice(-checksumDigits))
    return 'malformed';
  return { kind: prefix === prefixes.master ? 'master' : 'api', hash: hashSecret(secret) };
}
