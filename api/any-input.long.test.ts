import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAccount } from '../fixtures/client/account.ts';
import { completeOptions, startTestApi } from '../fixtures/client/test-api.ts';
import { createTestDatabase } from '../fixtures/database/test-database.ts';
import { listEndpoints } from './app.ts';
import type { Endpoint } from './endpoint/endpoint.ts';

// The test clock moves to another minute before every request, so that no request limit is reached.
let minute = 0;
const now = (): Date => new Date(Date.parse('2026-01-01T00:00:00Z') + minute * 60_000);

const database = await createTestDatabase();
const api = await startTestApi({ db: database.kysely, now });
const masterToken = (await createAccount(database.kysely, { now: now() })).master_token;

function fieldsOf(schema: z.ZodType | undefined): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

const text = fc.oneof(
  fc.constantFrom('', 'AAAAAAAAAAAA', 'a@company.example', '\0', '\ud800', '1', '-1', '1e99'),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('"', "'", '\\', '%', '_', ';', '{', '}', '\n', '@', '.') }),
);
const value = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(0, -1, 1, 365, 366, 1e308, 2 ** 53, 2 ** 31, null, true),
);

/** Generates objects with some of the given field names, and in some cases with one unknown field. */
function objectsOf(fields: string[], values: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const known = Object.fromEntries(fields.map((field) => [field, values]));
  return fc
    .tuple(fc.record(known, { requiredKeys: [] }), fc.option(fc.tuple(text, values), { freq: 4 }))
    .map(([object, other]) => (other ? { ...object, [other[0]]: other[1] } : object));
}

async function expectNoFault({ description }: Endpoint, parts: Parts): Promise<void> {
  minute += 60;
  const { method, path } = description;
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(parts.param) || 'x');
  const query = new URLSearchParams(Object.entries(parts.query)).toString();
  const response = await api.ask(`/api/v1${filled}?${query}`, {
    method: method.toUpperCase(),
    headers: { Authorization: `Bearer ${masterToken}`, 'Content-Type': 'application/json' },
    ...(method === 'get' ? {} : { body: JSON.stringify(parts.body) }),
  });
  expect(response.status).toBeLessThan(500);
  expect(await response.json()).toBeInstanceOf(Object);
}

interface Parts {
  param: string;
  query: Record<string, string>;
  body: object;
}

describe('whatever the parameters, the query and the body', () => {
  const named = listEndpoints(completeOptions({ db: {} as never })).map(
    (endpoint): [string, Endpoint] => {
      const { method, path } = endpoint.description;
      return [`${method.toUpperCase()} ${path}`, endpoint];
    },
  );

  test.each(named)('no answer is a 5xx: %s', async (_name, endpoint) => {
    const { query, body } = endpoint.description;
    const parts = fc.record({
      param: text.map((param) => param.toWellFormed()).filter((param) => !/^\.*$/.test(param)),
      query: objectsOf(fieldsOf(query), text) as fc.Arbitrary<Record<string, string>>,
      body: objectsOf(fieldsOf(body), value),
    });
    await fc.assert(
      fc.asyncProperty(parts, (given) => expectNoFault(endpoint, given)),
      { numRuns: 100 },
    );
  });
});
