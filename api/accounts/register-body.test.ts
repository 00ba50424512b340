import { describe, expect, test } from 'vitest';
import { askJson } from '../../fixtures/client/json-client.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi();

function bodyOf(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    email: 'anna@firma.pl',
    name: 'Anna Nowak',
    password: 'correct horse',
    password_confirmation: 'correct horse',
    ...change,
  };
}

const [email, name, password, password_confirmation] = [
  'The email field',
  'The name field',
  'The password field',
  'The password_confirmation field',
];

const unprintable = `${name} must not contain control characters or direction marks.`;

describe('422 of POST /auth/register names each wrong field', () => {
  test('all of them missing', async () => {
    expect(await askJson(api, 'POST /auth/register', { body: {} })).toEqual({
      status: 422,
      body: {
        message: `${email} is required. (and 3 more errors)`,
        errors: {
          email: [`${email} is required.`],
          name: [`${name} is required.`],
          password: [`${password} is required.`],
          password_confirmation: [`${password_confirmation} is required.`],
        },
      },
    });
  });

  test('all of them of the wrong type', async () => {
    const body = { email: 1, name: ['x'], password: null, password_confirmation: {} };
    expect(await askJson(api, 'POST /auth/register', { body })).toEqual({
      status: 422,
      body: {
        message: `${email} must be a string. (and 3 more errors)`,
        errors: {
          email: [`${email} must be a string.`],
          name: [`${name} must be a string.`],
          password: [`${password} must be a string.`],
          password_confirmation: [`${password_confirmation} must be a string.`],
        },
      },
    });
  });

  test.each([
    [{ name: 'An' }, { name: [`${name} must be at least 3 characters.`] }],
    [{ name: '  An ' }, { name: [`${name} must be at least 3 characters.`] }],
    [{ name: '🦆🦆' }, { name: [`${name} must be at least 3 characters.`] }],
    [{ name: 'a'.repeat(256) }, { name: [`${name} must not be longer than 255 characters.`] }],
    [{ name: 'An\r\nna' }, { name: [unprintable] }],
    [{ name: 'An\u2028na' }, { name: [unprintable] }],
    [{ name: 'An\0na' }, { name: [unprintable] }],
    [{ name: 'An\u202Ena' }, { name: [unprintable] }],
    [{ name: 'Anna \ud800' }, { name: [`${name} must not contain half of a surrogate pair.`] }],
    [
      { password: 'seven77', password_confirmation: 'seven77' },
      { password: [`${password} must be at least 8 characters.`] },
    ],
    [
      { password: 'ł'.repeat(513), password_confirmation: 'ł'.repeat(513) },
      { password: [`${password} must not be longer than 1024 bytes.`] },
    ],
    [
      { password_confirmation: 'correct horsf' },
      { password_confirmation: [`${password_confirmation} must match the password field.`] },
    ],
    [
      { name: 'An', password_confirmation: '' },
      {
        name: [`${name} must be at least 3 characters.`],
        password_confirmation: [`${password_confirmation} must match the password field.`],
      },
    ],
    [{ language: 'de' }, { language: ['The language field must be one of pl, en.'] }],
    [{ role: 'admin' }, { role: ['The role field is unknown.'] }],
    [{ constructor: 'x' }, { constructor: ['The constructor field is unknown.'] }],
  ])('%j', async (change, errors) => {
    const { status, body } = await askJson(api, 'POST /auth/register', {
      body: bodyOf(change),
    });
    expect({ status, body }).toEqual({
      status: 422,
      body: { message: expect.stringContaining(Object.values(errors)[0]![0]!), errors },
    });
  });

  test('__proto__', async () => {
    const body = JSON.stringify(bodyOf()).replace('{', '{"__proto__":{"name":"x"},');
    const { status, body: answer } = await askJson(api, 'POST /auth/register', { body });
    expect(status).toBe(422);
    expect(JSON.stringify(answer)).toBe(
      '{"message":"The __proto__ field is unknown.","errors":{"__proto__":["The __proto__ field is unknown."]}}',
    );
  });

  test('and leaves no account', async () => {
    const { rows } = await database.pool.query('select from customer.account');
    expect(rows).toEqual([]);
  });
});
