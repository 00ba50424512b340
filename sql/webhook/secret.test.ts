import { expect, test } from 'vitest';
import { listSecrets } from './secret.ts';

const key = 'a key that only tests derive secrets from';
const until = new Date('2026-11-28T10:00:00Z');
const [first, second] = [1, 2].map((secret_version) => ({
  webhook_ref: 'A1',
  secret_version,
  previous_secret_until: secret_version === 1 ? null : until,
}));

test('a secret has 32 bytes, and depends on the key, the endpoint and its rotations', () => {
  const now = new Date('2026-11-27T10:00:00Z');
  const secrets = [
    listSecrets(key, first!, now),
    listSecrets(key, second!, until),
    listSecrets(key, { ...first!, webhook_ref: 'A2' }, now),
    listSecrets('another key', first!, now),
  ].map(([secret]) => secret!);
  expect(new Set(secrets).size).toBe(4);
  for (const secret of secrets) {
    const [, base64] = /^whsec_(.+)$/.exec(secret)!;
    expect(Buffer.from(base64!, 'base64')).toHaveLength(32);
  }
  expect(listSecrets(key, first!, now)).toEqual([secrets[0]]);
});

test('the secret before a rotation signs until its end, after the new one', () => {
  const [old] = listSecrets(key, first!, until);
  const [fresh] = listSecrets(key, second!, until);
  expect(listSecrets(key, second!, new Date(until.getTime() - 1))).toEqual([fresh, old]);
  expect(listSecrets(key, second!, until)).toEqual([fresh]);
});
