import { describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { useApi } from '../../fixtures/client/use-api.ts';

const { database, api } = await useApi();
const { master_token } = await createAccount(database.kysely);
const headers = { Authorization: `Bearer ${master_token}`, 'Content-Type': 'application/json' };

/** Returns the answer as text: parsed objects with field names such as `__proto__` cannot be compared. */
async function ask(method: string, path: string, body?: string) {
  const init = body === undefined ? { method, headers } : { method, headers, body };
  const response = await api.ask(`/api/v1${path}`, init);
  return { status: response.status, text: await response.text() };
}

function refusal(field: string, message: string) {
  return { status: 422, text: JSON.stringify({ message, errors: { [field]: [message] } }) };
}

/** Returns `count` fields in the form of a JSON object without braces. */
function listFields(count: number): string {
  return Array.from({ length: count }, (_, at) => `"f${at}":1`).join();
}

describe('the fields of a query', () => {
  test.each(['city=%zz', 'city=%', 'city=50%&page=2', '%C5%8=1', 'page=1?%1'])(
    '400 for what is not percent-encoded: %s',
    async (query) => {
      const message = 'The query is not percent-encoded: after % come two hexadecimal digits.';
      expect(await ask('GET', `/companies/search?${query}`)).toEqual({
        status: 400,
        text: JSON.stringify({ message }),
      });
      expect(await ask('GET', `/stats/day/2026-01-01?${query}`)).toMatchObject({ status: 400 });
    },
  );

  test.each(['%C5', '%A3%F3d%BC', '%C5%81%ED%A0%80'])(
    '422 for bytes that are no UTF-8: %s',
    async (city) => {
      expect(await ask('GET', `/companies/search?city=${city}`)).toEqual(
        refusal('city', 'The city field must be UTF-8.'),
      );
    },
  );
});

describe('the fields of a body', () => {
  test.each(['', '{}'])('422 names every one that is missing: "%s"', async (body) => {
    const { status, text } = await ask('POST', '/auth/register', body);
    expect(status).toBe(422);
    expect(Object.keys((JSON.parse(text) as { errors: object }).errors)).toEqual([
      'email',
      'name',
      'password',
      'password_confirmation',
    ]);
    expect(text).toContain(' (and 3 more errors)"');
  });

  test.each([
    ['PATCH', '/watchlist/alerts', `{"alert_event_classes":[${'0,'.repeat(100)}0]}`, 'items'],
    ['POST', '/companies/add', `{"identifier_value":["","",${'"x",'.repeat(98)}"x"]}`, 'items'],
    ['POST', '/tokens', `{"name":[${'0,'.repeat(8_000)}0]}`, 'items'],
    ['POST', '/tokens', `{"name":{${listFields(101)}}}`, 'fields'],
  ])('422 names only the list that is too long: %s %s', async (method, path, body, unit) => {
    const [field] = Object.keys(JSON.parse(body) as object);
    expect(await ask(method, path, body)).toEqual(
      refusal(field!, `The ${field} field must not have more than 100 ${unit}.`),
    );
  });

  test('422 for more fields than any request has, without their names', async () => {
    expect(await ask('POST', '/tokens', `{${listFields(101)}}`)).toEqual(
      refusal('body', 'The request body must not have more than 100 fields.'),
    );
  });

  test('422 lists a hundred errors, and counts the others', async () => {
    const wrong = `[${'0,'.repeat(99)}0]`;
    const body = `{"identifier_value":${wrong},"value":${wrong},"name":0}`;
    const { status, text } = await ask('DELETE', '/companies/watched', body);
    const { errors } = JSON.parse(text) as { errors: Record<string, string[]> };
    expect([status, Object.values(errors).flat().length]).toEqual([422, 100]);
    // The errors exceed 200, because the field `name` is unknown and the field `identifier_type` is missing.
    expect(text).toContain(' (and 201 more errors)"');
  });

  test.each(['plan', '__proto__', 'constructor', 'toString', 'name.x', ''])(
    '422 names an unknown one: "%s"',
    async (name) => {
      const body = `{"name":"Billing",${JSON.stringify(name)}:{"isAdmin":true}}`;
      expect(await ask('POST', '/tokens', body)).toEqual(
        refusal(name, `The ${name} field is unknown.`),
      );
    },
  );

  test.each([
    ['NUL', String.raw`\u0000`, 'a NUL character'],
    ['the first half of a surrogate pair', String.raw`\ud83d`, 'half of a surrogate pair'],
    ['the second half', String.raw`\udc22`, 'half of a surrogate pair'],
    ['both in the wrong order', String.raw`\udc22\ud83d`, 'half of a surrogate pair'],
  ])('422 for text that cannot be kept: %s', async (_name, escape, wrong) => {
    expect(await ask('POST', '/wallet/topup', `{"package_slug":"small${escape}"}`)).toEqual(
      refusal('package_slug', `The package_slug field must not contain ${wrong}.`),
    );
    // An unpaired surrogate is also refused in the name of an unknown field.
    const { status } = await ask('POST', '/tokens', `{"name":"Billing","${escape}":1}`);
    expect(status).toBe(422);
  });

  test('takes both halves of a pair together', async () => {
    const body = String.raw`{"name":"Turtle \ud83d\udc22"}`;
    const { status, text } = await ask('POST', '/tokens', body);
    expect(status).toBe(201);
    expect(text).toContain('"name":"Turtle 🐢"');
  });

  test.each([
    ['POST', '/tokens/verify'],
    ['POST', '/tokens/AAAAAAAAAAAA/rotate'],
    ['DELETE', '/tokens/AAAAAAAAAAAA'],
  ])('422 where no body is described: %s %s', async (method, path) => {
    expect(await ask(method, path, '{"name":"Billing"}')).toEqual(
      refusal('name', 'The name field is unknown.'),
    );
    expect((await ask(method, path, '{}')).status).not.toBe(422);
  });
});

describe('the parameters of a query and of a path', () => {
  test.each(['sort', '__proto__', 'page[]', 'hasOwnProperty'])(
    '422 names an unknown one: %s',
    async (name) => {
      expect(await ask('GET', `/wallet/transactions?${name}=1`)).toEqual(
        refusal(name, `The ${name} field is unknown.`),
      );
    },
  );

  test('422 for one that is repeated a hundred times, and for as many unknown ones', async () => {
    const once = 'The page field must be given only once.';
    expect(await ask('GET', `/wallet/transactions?${'page=1&'.repeat(101)}`)).toEqual(
      refusal('page', once),
    );
    const unknown = Array.from({ length: 101 }, (_, at) => `f${at}=1`).join('&');
    expect(await ask('GET', `/wallet/transactions?${unknown}`)).toEqual(
      refusal('query', 'The request query must not have more than 100 fields.'),
    );
  });

  test('422 where none is described', async () => {
    for (const [method, path] of [
      ['GET', '/wallet'],
      ['GET', '/tokens/AAAAAAAAAAAA'],
      ['POST', '/tokens/verify'],
      ['GET', '/openapi.json'],
    ] as const) {
      expect(await ask(method, `${path}?page=1`)).toEqual(
        refusal('page', 'The page field is unknown.'),
      );
    }
  });

  test('422 for NUL in a path', async () => {
    expect(await ask('GET', '/tokens/AAAA%00')).toEqual(
      refusal('token_ref', 'The token_ref field must not contain a NUL character.'),
    );
  });

  test.each(['%ED%A0%BD', '%C3', '%'])('400 for a path that is no text: %s', async (part) => {
    expect(await ask('GET', `/tokens/${part}`)).toEqual({
      status: 400,
      text: '{"message":"Bad Request"}',
    });
  });
});
