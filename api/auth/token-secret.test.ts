import type { IncomingMessage } from 'node:http';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBearer } from './authenticate.ts';
import { createRef, createSecret, hashSecret } from './token-secret.ts';

function read(authorization?: string) {
  return readBearer({ headers: { authorization } } as IncomingMessage);
}

const missing = { error: 'Missing API token' };
const malformed = { error: 'Malformed token format' };

describe('a secret', () => {
  test('has the prefix of its kind, 43 random base62 digits and 6 of a checksum', () => {
    expect(createSecret('master')).toMatch(/^sk_live_[0-9A-Za-z]{49}$/);
    expect(createSecret('api')).toMatch(/^sk_api_[0-9A-Za-z]{49}$/);
    expect(new Set(Array.from({ length: 1000 }, () => createSecret('api'))).size).toBe(1000);
  });

  test('is read back', () => {
    for (const kind of ['master', 'api'] as const) {
      const secret = createSecret(kind);
      const bearer = { hash: hashSecret(secret) };
      expect(read(`Bearer ${secret}`)).toEqual(bearer);
      expect(read(`bearer   ${secret} `)).toEqual(bearer);
    }
  });

  test('keeps the leading zeros of its checksum', () => {
    // A checksum has six base-62 digits; the first digit is zero for 62^5 of the 2^32 possible checksums.
    const secrets = Array.from({ length: 500 }, () => createSecret('api'));
    expect(secrets.some((secret) => secret.at(-6) === '0')).toBe(true);
    for (const secret of secrets) expect(read(`Bearer ${secret}`)).toHaveProperty('hash');
  });

  test('is hashed with SHA-256', () => {
    expect(hashSecret('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

test('a reference is 12 upper-case alphanumeric characters, all of which occur', () => {
  const refs = Array.from({ length: 500 }, () => createRef());
  for (const ref of refs) expect(ref).toMatch(/^[0-9A-Z]{12}$/);
  expect(new Set(refs).size).toBe(500);
  expect(new Set(refs.join('')).size).toBe(36);
});

describe('readBearer', () => {
  test.each([undefined, '', '   ', 'Bearer', 'bearer '])('missing: %j', (header) => {
    expect(read(header)).toEqual(missing);
  });

  test('malformed: another scheme, or more or less than a token', () => {
    const secret = createSecret('api');
    const wrong = [
      secret,
      `Basic ${secret}`,
      `Bearer${secret}`,
      `Bearer ${secret} ${secret}`,
      `Bearer ${secret}x`,
      `Bearer ${secret.slice(0, -1)}`,
      `Bearer ${secret.replace('sk_api_', 'sk_live_')}`,
      `Bearer ${secret.replace('sk_api_', 'sk_test_')}`,
      `Bearer ${secret.toUpperCase()}`,
      `Bearer "${secret}"`,
      'Bearer null',
      `Bearer ${'a'.repeat(10_000)}`,
    ];
    for (const header of wrong) expect([header, read(header)]).toEqual([header, malformed]);
  });

  test('malformed: one digit mistyped', () => {
    const secret = createSecret('master');
    fc.assert(
      fc.property(
        fc.nat({ max: 48 }),
        fc.constantFrom('0', '9', 'a', 'z', 'A', 'Z'),
        (at, digit) => {
          const place = 'sk_live_'.length + at;
          fc.pre(secret[place] !== digit);
          const mistyped = secret.slice(0, place) + digit + secret.slice(place + 1);
          expect(read(`Bearer ${mistyped}`)).toEqual(malformed);
        },
      ),
    );
  });
});
