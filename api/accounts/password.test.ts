import { describe, expect, test } from 'vitest';
import { HttpError } from '../http/errors.ts';
import { hashPassword, verifyPassword } from './password.ts';

describe('a password', () => {
  test('is hashed with argon2id at the cost that OWASP names, each time with another salt', async () => {
    const [one, other] = await Promise.all([hashPassword('correct'), hashPassword('correct')]);
    for (const hash of [one, other]) {
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    }
    expect(one).not.toBe(other);
  });

  test('is told from any other', async () => {
    const hash = await hashPassword('zażółć\0gęślą');
    expect(await verifyPassword('zażółć\0gęślą', hash)).toBe(true);
    expect(await verifyPassword('zażółć\0gęślą'.normalize('NFD'), hash)).toBe(true);
    expect(await verifyPassword('zażółć', '-')).toBe(false);
    for (const other of ['zażółć', 'Zażółć\0gęślą', 'zażółć\0gęślą ', '']) {
      expect(await verifyPassword(other, hash)).toBe(false);
    }
  });

  test('503 when a hundred wait already, and none of those is lost', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 130 }, (_, at) => hashPassword(`password ${at}`)),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(29);
    expect(refused.length).toBeLessThanOrEqual(30);
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(HttpError);
      expect(reason).toMatchObject({
        status: 503,
        body: { message: 'Service Unavailable' },
        headers: { 'Retry-After': '10' },
      });
    }
  });
});
