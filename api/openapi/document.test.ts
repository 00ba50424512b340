import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Router } from 'express';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../fixtures/client/account.ts';
import { completeOptions } from '../../fixtures/client/test-api.ts';
import { useApi } from '../../fixtures/client/use-api.ts';
import { createApp, listEndpoints } from '../app.ts';
import {
  descriptions,
  type OpenApiDocument,
  type Operation as Described,
  type Schema,
} from './descriptions-and-examples.ts';
import { createStripePayment } from '../wallet/stripe.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import operationErrors from './operation-errors.json' with { type: 'json' };

type Operation = Described & {
  'x-rate-limit': { requests: number; window_seconds: number; per: string };
  responses: Record<string, { headers?: object }>;
};

const root = join(import.meta.dirname, '../..');
const baseUrl = 'https://api.registry.example';

const { database, api } = await useApi({ baseUrl });
const options = completeOptions({
  db: database.kysely,
  baseUrl,
  // The payment provider Stripe is configured, because only Stripe has a webhook endpoint.
  payment: createStripePayment(
    { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
    baseUrl,
  ),
});
const document = (await (await api.ask('/api/v1/openapi.json')).json()) as OpenApiDocument;
const guide = await readFile(join(root, 'api/README.md'), 'utf8');

// The descriptions of endpoints are read without a database.
const described = listEndpoints(completeOptions({ db: {} as never })).map(
  ({ description }): [string, typeof description] => [
    `${description.method} ${description.path}`,
    description,
  ],
);

function listOperations(): [path: string, method: string, operation: Operation][] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(
      ([method, operation]): [string, string, Operation] => [path, method, operation],
    ),
  );
}

function operationOf({ method, path }: Pick<Endpoint['description'], 'method' | 'path'>) {
  return (document.paths![`/api/v1${path}`] as Record<string, Operation>)[method]!;
}

function schemas(): Record<string, Schema> {
  return document.components?.schemas as Record<string, Schema>;
}

/** Returns the names of the response headers of a 200 answer. */
function headersOf(path: string, method: 'get' | 'post'): string[] {
  return Object.keys(operationOf({ method, path }).responses[200]?.headers ?? {});
}

/** Returns every named schema, and every property of a schema or of a request body. */
function listProperties(): { where: string; schema: Schema }[] {
  const list = (where: string, schema: Schema): { where: string; schema: Schema }[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, of]) => [
      { where: `${where}.${name}`, schema: of },
      ...list(`${where}.${name}`, of),
    ]),
    ...[schema.items ?? [], schema.anyOf ?? []].flat().flatMap((part) => list(where, part)),
  ];
  const named = Object.entries(schemas());
  const bodies = listOperations().flatMap(([path, method, { requestBody }]) =>
    list(`${method} ${path}`, requestBody?.content?.['application/json']?.schema ?? {}),
  );
  return [
    ...named.map(([where, schema]) => ({ where, schema })),
    ...named.flatMap(([name, schema]) => list(name, schema)),
    ...bodies,
  ];
}

/** Returns every path of an Express router and of its nested routers, with the HTTP methods of the path. */
function listRoutes(router: Router): Map<string, string[]> {
  const routes = new Map<string, string[]>();
  for (const { route, handle } of router.stack) {
    if (route) {
      const methods = route.stack.map(({ method }) => method).filter((method) => method);
      routes.set(route.path, [...new Set(methods)].toSorted());
    } else if ('stack' in handle) {
      for (const [path, methods] of listRoutes(handle as Router)) routes.set(path, methods);
    }
  }
  return routes;
}

const specialErrors: Record<string, object> = operationErrors;

test('shows every text of the glossary', () => {
  const shown = JSON.stringify(document);
  const isShown = ([, text]: [string, string]) => shown.includes(JSON.stringify(text).slice(1, -1));
  expect(Object.entries(descriptions).filter((entry) => !isShown(entry))).toEqual([]);
});

describe('GET /openapi.json', () => {
  test('200 is OpenAPI 3.1 of the host that serves it', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/' }] });
    expect(Object.keys(document.components?.securitySchemes ?? {})).toEqual(['master', 'token']);
  });

  test('passes the linter without a warning', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-openapi-'));
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');
    // The linter's rule is skipped: a `company_ref` is never `submissions`, so
    // `/companies/submissions/{submission_ref}` and `/companies/{company_ref}/events` match no common path.
    const skipped = '--skip-rule=no-ambiguous-paths';
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [redocly, 'lint', 'openapi.json', '--extends=recommended', '--format=json', skipped],
      {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        },
      },
    );
    const { problems, totals } = JSON.parse(stdout) as { problems: unknown; totals: object };
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  });

  test('bounds every list of a request', () => {
    const lists = listProperties()
      .filter(({ where, schema }) => where.includes(' /') && schema.type === 'array')
      .map(({ where, schema }) => [where, 'maxItems' in schema && schema.maxItems]);
    expect(lists).toEqual([
      ['post /api/v1/companies/lookup.identifiers', 100],
      ['post /api/v1/companies/add.identifier_value', 100],
      ['post /api/v1/companies/add.identifiers', 100],
      ['delete /api/v1/companies/watched.identifier_value', 100],
      ['delete /api/v1/companies/watched.value', 100],
      ['delete /api/v1/companies/watched.identifiers', 100],
      ['patch /api/v1/watchlist/alerts.alert_event_classes', 6],
      ['patch /api/v1/watchlist/alerts.alert_categories', 8],
    ]);
  });

  test('has each route, but for the pages, the probes and the webhook', () => {
    const routes = listRoutes(createApp(options).router);
    const documented = Object.entries(document.paths ?? {}).map(
      ([path, item]): [string, string[]] => [
        path.replace('/api/v1', '').replaceAll(/\{(\w+)\}/g, ':$1'),
        Object.keys(item as object).toSorted(),
      ],
    );
    const paths = new Set(documented.map(([path]) => path));
    const [inside, others] = [true, false].map(
      (isIn) => new Map([...routes].filter(([path]) => paths.has(path) === isIn)),
    );
    expect(inside).toEqual(new Map(documented));
    const pages = [...(others?.keys() ?? [])].filter((path) => !path.startsWith('/assets/'));
    expect(pages.toSorted()).toEqual([
      '/',
      '/api/v1/webhooks/stripe',
      '/checkout/cancel',
      '/checkout/success',
      '/companies/:ref',
      '/console',
      '/docs',
      '/docs/:chapter',
      '/docs/search.json',
      '/downloads',
      '/downloads/:date/:view.:format',
      '/downloads/dictionary.json',
      '/guides',
      '/guides/analysts',
      '/guides/clients',
      '/guides/operators',
      '/healthz',
      '/metrics',
      '/privacy',
      '/readyz',
      '/recover',
      '/stats',
      '/terms',
      '/unsubscribe',
    ]);
  });

  test.each(described)('says who may call %s, and which errors follow', (_name, description) => {
    const byAuth = { none: [], token: [{ token: [] }, { master: [] }], master: [{ master: [] }] };
    const { auth, method, status = 200, params, errors } = description;
    const { operationId, security, responses } = operationOf(description);
    expect(security).toEqual(byAuth[auth]);
    const expected = new Set([status, 400, 422, 429, 500, 503]);
    if (auth !== 'none') expected.add(401);
    if (auth === 'none' && method === 'get') expected.add(304);
    if (auth === 'master') expected.add(403);
    if (method !== 'get') for (const code of [408, 413, 415]) expected.add(code);
    if (params) expected.add(404);
    const own = { ...errors, ...specialErrors[operationId] };
    for (const code of Object.keys(own)) expected.add(Number(code));
    expect(new Set(Object.keys(responses).map(Number))).toEqual(expected);
    expect(Object.keys(responses[429]?.headers ?? {})).toContain('Retry-After');
    expect(Object.keys(responses[status]?.headers ?? {})).toContain('RateLimit');
  });

  test('describes every parameter, property and schema', () => {
    const missing = listProperties()
      .filter(({ schema }) => !schema.$ref && !schema.description)
      .map(({ where }) => where);
    const parameters = listOperations().flatMap(([, , operation]) => operation.parameters ?? []);
    missing.push(...parameters.filter((one) => !one.description).map(({ name }) => name));
    expect(missing).toEqual([]);
  });

  test('names every answer, and leaves answers open for more fields', () => {
    const unnamed = listOperations().filter(([, , { responses }]) => {
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
      const json = success?.[1].content?.['application/json'];
      // An answer in a format without JSON, such as CSV, has no named schema.
      return json && !json.schema.$ref;
    });
    expect(unnamed).toEqual([]);
    expect(Object.keys(schemas())).toEqual(
      expect.arrayContaining(['Company', 'Event', 'SearchResult', 'Token', 'WatchEntry', 'Wallet']),
    );
    expect(JSON.stringify(schemas())).not.toContain('additionalProperties":false');
  });

  test('gives moments and days their formats', () => {
    const wrong = listProperties().filter(({ where, schema }) => {
      const { format } = schema.anyOf?.[0] ?? schema;
      if (/_at$|\.timestamp$/.test(where)) return format !== 'date-time';
      return /_date$|\.date$|(?<!failing)_since$/.test(where) && format !== 'date';
    });
    expect(wrong).toEqual([]);
  });

  test('has the values of the dictionaries', () => {
    expect(schemas()).toMatchObject({
      EventType: { 'x-extensible-enum': expect.arrayContaining(['COMPANY_NAME_CHANGED']) },
      LegalForm: { enum: expect.arrayContaining(['spolka-cywilna']) },
      Voivodeship: { enum: expect.arrayContaining(['łódzkie', 'lodzkie', 'lubelskie']) },
      Severity: { enum: ['info', 'notice', 'warning', 'high', 'error', 'critical'] },
    });
    expect(schemas().EventType).not.toHaveProperty('enum');
    const taken = (schemas().Voivodeship as { enum: string[] }).enum;
    expect(new Set(taken).size).toBe(taken.length);
  });

  test('describes the call of a webhook', () => {
    const { post } = document.webhooks!.events as Record<string, Operation>;
    const { parameters = [], requestBody, description } = post!;
    expect(requestBody?.content?.['application/json']?.schema.$ref).toMatch(/Delivery$/);
    expect(parameters.map(({ name }) => name)).toEqual(
      ['id', 'timestamp', 'signature'].map((name) => `webhook-${name}`),
    );
    expect([description, ...parameters.map((one) => one.description)]).not.toContain(undefined);
  });

  test('marks what is deprecated', () => {
    const { event_id, id } = schemas().FeedEvent!.properties!;
    expect(event_id).toHaveProperty('deprecated', true);
    expect(id).not.toHaveProperty('deprecated');
  });

  test('says of every filter of the search what it compares', () => {
    const [, , search] = listOperations().find(([path]) => path.endsWith('/companies/search'))!;
    const told = (search as unknown as { description: string }).description;
    const silent = search.parameters!.filter(({ name }) => !told.includes(`\`${name}\``));
    expect(silent.map(({ name }) => name)).toEqual(['page']);
  });

  test('has an example of every parameter that a request needs, and of few others', () => {
    const filled = listOperations().flatMap(([, , { operationId, parameters = [] }]) =>
      parameters
        .filter((one) => 'example' in one !== one.required)
        .map(({ name }) => `${operationId}.${name}`),
    );
    expect(filled).toEqual([
      'get_companies_search.activity_prefix',
      'get_companies_search.voivodeship',
      'get_stats_series.by',
      'get_stats_series.source',
      'get_stats_series_csv.by',
      'get_stats_series_csv.source',
    ]);
  });

  test('says what an answer costs', () => {
    const priced = listOperations().flatMap(([path, , operation]) =>
      'x-credits' in operation ? [[path, operation['x-credits']]] : [],
    );
    expect(priced).toEqual([
      ['/api/v1/companies/search', 1],
      ['/api/v1/companies/snapshot', 5],
    ]);
  });

  test('declares the headers of charges, replays and caches', () => {
    const charged = ['Idempotency-Replayed', 'X-Credits-Charged', 'X-Credits-Balance'];
    expect(headersOf('/companies/snapshot', 'post')).toEqual(
      expect.arrayContaining(['X-Request-Id', 'ETag', ...charged]),
    );
    const cached = ['ETag', 'Cache-Control'];
    expect(headersOf('/voivodeships', 'get')).toEqual(expect.arrayContaining(cached));
    expect(headersOf('/wallet', 'get')).not.toContain('Idempotency-Replayed');
    const kept = listOperations().flatMap(([name, , { security, responses }]) =>
      Object.entries(responses).flatMap(([status, { headers }]) => {
        const isKept = !JSON.stringify(headers).includes('"const":"no-store"');
        return isKept ? [[name, security.length, status]] : [];
      }),
    );
    // Clients may cache an answer only if its endpoint needs no token.
    expect(kept.filter(([, needed]) => needed !== 0)).toEqual([]);
    expect(kept.length).toBeGreaterThan(0);
    const busy = listOperations().map(([, , { responses }]) => responses[503]?.headers ?? {});
    expect(busy.filter((headers) => !('Retry-After' in headers))).toEqual([]);
  });

  test('has the version of the package, which the changelog begins with, or with the next one', async () => {
    const packaged = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as object;
    const { version } = document.info;
    expect(packaged).toMatchObject({ version });
    const [, changes = ''] = guide.split('\n## Changelog\n');
    const [major, minor] = version.split('.').map(Number);
    const known = [`${major}.${minor}`, `${major}.${minor! + 1}`];
    expect(known).toContain(/^### (.+)$/m.exec(changes)?.[1]);
  });

  test('refuses to an API token what the guide lists', () => {
    const [, list = ''] = /An API token gets a 403 from (.+)\.$/m.exec(guide) ?? [];
    const listed = [...list.matchAll(/`(.+?)`/g)].map(([, operation]) => operation);
    const refused = described.filter(([, { auth }]) => auth === 'master');
    const names = refused.map(([, { method, path }]) => `${method.toUpperCase()} ${path}`);
    expect(new Set(listed)).toEqual(new Set(names));
  });

  test('says the limit of each operation that its answers say', async () => {
    const { master_token } = await createAccount(database.kysely);
    const headers = { Authorization: `Bearer ${master_token}` };
    const limits = await Promise.all(
      listOperations().map(async ([path, method, operation]) => {
        const filled = path.replaceAll(/\{\w+\}/g, '1');
        const answer = await api.ask(filled, { method: method.toUpperCase(), headers });
        const policy = /q=(\d+); w=(\d+);/.exec(answer.headers.get('ratelimit-policy') ?? '') ?? [];
        const [requests, window_seconds] = policy.slice(1).map(Number);
        const { per, ...documented } = operation['x-rate-limit'];
        expect([path, { requests, window_seconds }]).toEqual([path, documented]);
        expect([path, answer.headers.get('x-ratelimit-limit')]).toEqual([path, String(requests)]);
        return per === 'account' ? `${method} ${path}` : [];
      }),
    );
    const ofAccounts = [
      'delete /api/v1/account',
      'post /api/v1/companies/lookup',
      'get /api/v1/companies/{company_ref}/events',
      'post /api/v1/webhooks',
      'patch /api/v1/webhooks/{webhook_ref}',
      'post /api/v1/webhooks/{webhook_ref}/test',
      'post /api/v1/webhooks/{webhook_ref}/replay',
    ];
    expect(limits.flat()).toEqual(ofAccounts);
    const { get } = document.paths!['/api/v1/stats/series'] as Record<string, Operation>;
    expect(get!['x-rate-limit']).toMatchObject({ requests: 10, per: 'address' });
  });
});
