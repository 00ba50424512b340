import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { z } from 'zod';
import { countCharacters } from '../http/field.ts';
import { HttpError } from '../http/errors.ts';

const minimumCharacters = 8;
/** Far beyond what anybody types: the work of a hash must not grow with the request. */
const maximumBytes = 1024;

/**
 * OWASP's least cost of argon2id: 19 MiB, two passes, one lane. It is the library's default too, but
 * the cost is ours to keep.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * The cores belong to the process, and so does this queue: hashing takes one of them at a time, on a
 * thread beside the event loop, and leaves the others to the requests that are answered meanwhile.
 */
const queue = pLimit(1);
const queueMaximum = 100;

/** A new password: at least 8 characters, and at most 1024 bytes. */
export const passwordField = z
  .string()
  .refine((text) => countCharacters(text) >= minimumCharacters, {
    error: `The password field must be at least ${minimumCharacters} characters.`,
  })
  .refine((text) => Buffer.byteLength(text) <= maximumBytes, {
    error: `The password field must not be longer than ${maximumBytes} bytes.`,
  })
  .meta({ format: 'password', minLength: minimumCharacters });

function enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
  if (queue.pendingCount >= queueMaximum) {
    throw new HttpError(503, { message: 'Service Unavailable' }, { 'Retry-After': '10' });
  }
  return queue(work);
}

// The same character can be typed as one code point or as two.
function spell(password: string): string {
  return password.normalize('NFKC');
}

/** Hashes a password with argon2id. Throws the 503 when too many wait for that already. */
export async function hashPassword(password: string): Promise<string> {
  return enqueue(() => hash(spell(password), cost));
}

/** Whether a password is the one that was hashed. Throws the 503 when too many wait for that already. */
export async function verifyPassword(password: string, password_hash: string): Promise<boolean> {
  return enqueue(() => verify(password_hash, spell(password)));
}
