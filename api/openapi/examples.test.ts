import { expect, test } from 'vitest';
import { z } from 'zod';
import { completeOptions } from '../../fixtures/client/test-api.ts';
import { readCursor } from '../../sql/feed-cursor.ts';
import { listEndpoints } from '../app.ts';
import type { Operation } from './descriptions-and-examples.ts';
import { createDocument } from './document.ts';
import examples from './examples.json' with { type: 'json' };

// The descriptions of endpoints are read without a database.
const endpoints = listEndpoints(completeOptions({ db: {} as never }));
const document = createDocument(endpoints);
const described = endpoints.map(({ description }): [string, Operation, typeof description] => {
  const { method, path } = description;
  const item = document.paths![`/api/v1${path}`] as Record<string, Operation>;
  return [`${method} ${path}`, item[method]!, description];
});

test('the document shows every example', () => {
  const shown = JSON.stringify(document);
  const isShown = ([, value]: [string, unknown]) => shown.includes(JSON.stringify(value));
  expect(Object.entries(examples).filter((entry) => !isShown(entry))).toEqual([]);
  expect(readCursor(examples.next_cursor)).toEqual({ scope: 'watched', event_id: '4711' });
});

test.each(described)('%s has examples of body and answer that its schemas accept', (...one) => {
  const [, { requestBody, responses }, { body, answer, status = 200 }] = one;
  const [shown] = Object.values(responses[status]?.content ?? {});
  expect(answer.safeParse(shown?.example).error).toBeUndefined();
  expect(requestBody !== undefined).toBe(body !== undefined);
  const asked = requestBody?.content?.['application/json']?.example;
  expect(body?.safeParse(asked).error).toBeUndefined();
});

test.each(described)('%s has an example of every error, in its shape', (_name, operation) => {
  const shape = z.union([
    z.looseObject({ message: z.string().min(1) }),
    z.object({ error: z.string().min(1), code: z.literal('UNAUTHORIZED') }),
  ]);
  const wrong = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .filter(([, { content }]) => !shape.safeParse(content?.['application/json']?.example).success);
  expect(wrong).toEqual([]);
});
