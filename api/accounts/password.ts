import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { z } from 'zod';
import { retryAfter_s } from '../figures/rate-limits.ts';
import { sizes } from '../figures/sizes.ts';
import { atLeast } from '../http/text-fields.ts';
import { coded, unavailable } from '../http/errors.ts';

const [minimumCharacters, maximumBytes] = sizes.password;

/** The minimum cost of argon2id that OWASP recommends: 19 MiB of memory, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
export const saltBytes = 16;
const tagLength = 32;

/** Computes one password hash at a time, in a separate thread, so that other requests keep the other CPU cores. */
const queue = pLimit(1);

/** Checks that a new password has 8 characters or more, and 1024 bytes or less; register.ts checks its repetition. */
export const passwordField = z
  .string()
  .check(atLeast(minimumCharacters))
  .refine(
    (text) => Buffer.byteLength(text) <= maximumBytes,
    coded('too_long', `must not be longer than ${maximumBytes} bytes.`),
  )
  .meta({ format: 'password', minLength: minimumCharacters });

const argon2id = promisify(argon2);

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/**
 * Returns the argon2id hash of a password, in the text form of the reference implementation. The hash depends only on
 * the password and on `nonce` (a salt of 16 bytes). Throws a 503 when the queue of password hashes is full.
 */
export async function hashPassword(
  password: string,
  nonce = randomBytes(saltBytes),
): Promise<string> {
  if (queue.pendingCount >= sizes.waitingHashes) {
    throw unavailable(undefined, retryAfter_s.passwords);
  }
  // The password is normalized (NFKC), since keyboards type the same character as one code point or as two.
  const message = password.normalize('NFKC');
  const tag = await queue(() => argon2id('argon2id', { ...cost, nonce, tagLength, message }));
  const costs = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`;
  return `$argon2id$v=19$${costs}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/** Returns whether a password has the given hash. Throws a 503 if too many password hashes are queued. */
export async function verifyPassword(password: string, password_hash: string): Promise<boolean> {
  const salt = Buffer.from(password_hash.split('$')[4] ?? '', 'base64');
  if (salt.length !== saltBytes) return false;
  const given = Buffer.from(await hashPassword(password, salt));
  const wanted = Buffer.from(password_hash);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
