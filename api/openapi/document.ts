import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  OpenApiGeneratorV31,
  OpenAPIRegistry,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { Enums } from '../dictionaries/names.ts';
import type { Auth, Endpoint } from '../endpoint/endpoint.ts';
import { commonHeaders, type Header, headers } from '../http/headers.ts';
import { keep } from '../http/keep.ts';
import { productVersion } from '../../sql/suitable.ts';
import { limits } from '../figures.ts';
import { basePath, isPublic } from '../endpoint/mount.ts';
import { complete, type OpenApiDocument } from './complete.ts';
import { listErrors, shapeOf } from './errors.ts';

const introduction = readFileSync(join(import.meta.dirname, 'introduction.md'), 'utf8');

const tags: Record<string, string> = {
  Accounts: 'Register, initialize and recover an account.',
  Tokens: 'API tokens, which the Master Token manages.',
  Wallet: 'Prepaid credits.',
  Companies: 'Search companies and read their full profiles; both cost credits.',
  'Company monitor': 'Watch companies: their events, and who gets mails.',
  Dictionaries: 'The values that the data refer to: public, free, and kept in caches.',
  Statistics: 'Counts of the daily snapshots of the registers; no token needed.',
  Quality: 'The findings of the nights in the dumps: files, rejects, refusals; no token needed.',
  Document: 'This document.',
};

const schemes: Record<string, string> = {
  master: 'The Master Token (`sk_live_…`): full access, token management included.',
  token:
    'An API token (`sk_api_…`): everything but the management of tokens and changes of the account.',
};

const security: Record<Auth, Record<string, string[]>[]> = {
  none: [],
  token: [{ token: [] }, { master: [] }],
  master: [{ master: [] }],
};

/** The headers of errors besides the headers of every answer, by status. */
const errorHeaders: Record<string, Header[]> = {
  304: ['ETag'],
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The header `Cache-Control` of answers that need or hold a token, and of their errors. */
const noStore = {
  description: 'No cache may keep the answer.',
  schema: { type: 'string', const: 'no-store' },
} as const;

/** Returns the headers of an endpoint's success or error with the status `code`. */
function headersOf(description: Endpoint['description'], code: string) {
  const { headers: sent, errors = {}, status = 200 } = description;
  const isOpen = isPublic(description);
  const isSuccess = code === String(status);
  const tellsCredits = 402 in errors && (isSuccess || ['304', '402'].includes(code));
  const isRepeatable = isSuccess && sent && 'Idempotency-Key' in sent.shape;
  const names: Header[] = [
    ...(Object.keys(commonHeaders) as Header[]),
    ...(errorHeaders[code] ?? []),
    ...(isRepeatable ? (['Idempotency-Replayed'] as const) : []),
    ...(tellsCredits ? (['X-Credits-Charged', 'X-Credits-Balance'] as const) : []),
    ...(isSuccess && (isOpen || 304 in errors) ? (['ETag'] as const) : []),
    ...(isSuccess && isOpen ? (['Cache-Control'] as const) : []),
  ];
  const refs = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { ...Object.fromEntries(refs), ...(isOpen ? {} : { 'Cache-Control': noStore }) };
}

/** Returns the OpenAPI document of endpoints. Without `enums` it lists no values of dictionaries. */
export function createDocument(endpoints: Endpoint[], enums?: Enums): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  for (const [name, description] of Object.entries(schemes)) {
    const scheme = { type: 'http', scheme: 'bearer', description } as const;
    registry.registerComponent('securitySchemes', name, scheme);
  }
  for (const [name, [description, type]] of Object.entries(headers)) {
    registry.registerComponent('headers', name, { description, schema: { type } });
  }
  for (const { description } of endpoints) registry.registerPath(describe(description));
  const used = new Set(endpoints.map(({ description }) => description.tag));
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Company registry',
      version: productVersion,
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    // The server of the API is the host that serves the document.
    servers: [{ url: '/' }],
    tags: [...used].map((name) => ({ name, description: tags[name] ?? name })),
  });
  complete(document, enums);
  return document;
}

function describe(description: Endpoint['description']): RouteConfig {
  const { method, path, tag, summary, auth, params, query, body, status = 200 } = description;
  const { limit } = description;
  const { request_count, window_ms } = limit ?? limits.general;
  return {
    method,
    path: basePath + path,
    operationId: [method, ...path.match(/\w+/g)!].join('_'),
    tags: [tag],
    summary,
    ...(description.description && { description: description.description }),
    security: security[auth],
    ...(description.credits && { 'x-credits': description.credits }),
    'x-rate-limit': {
      requests: request_count,
      window_seconds: window_ms / 1000,
      per: auth === 'none' ? 'address' : limit ? 'account' : 'token',
    },
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(description.headers && { headers: description.headers }),
      ...(body && {
        body: {
          required: !body.safeParse({}).success,
          content: { 'application/json': { schema: body, example: description.bodyExample } },
        },
      }),
    },
    responses: {
      [status]: {
        description: 'Done.',
        headers: headersOf(description, String(status)),
        content: contentOf(description),
      },
      ...Object.fromEntries(
        Object.entries(listErrors(description)).map(([code, error]) => [
          code,
          {
            description: error.description,
            headers: headersOf(description, code),
            // A 304 has no body.
            ...(code !== '304' && {
              content: { 'application/json': { schema: shapeOf(code), example: error.example } },
            }),
          },
        ]),
      ),
    },
  };
}

function contentOf({ answer, mediaType, example, csvExample }: Endpoint['description']) {
  return {
    [mediaType ?? 'application/json']: { schema: answer, example },
    ...(csvExample && { 'text/csv': { schema: z.string(), example: csvExample } }),
  };
}

/** Returns the endpoint `GET /openapi.json`, whose document is made by the first request. */
export function documentEndpoint(makeDocument: () => Promise<OpenApiDocument>): Endpoint {
  return {
    description: {
      method: 'get',
      path: '/openapi.json',
      tag: 'Document',
      summary: 'This document',
      auth: 'none',
      cacheControl: 'public, max-age=3600',
      answer: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
      example: { openapi: '3.1.0', info: {}, paths: {} },
    },
    handle: keep(makeDocument),
  };
}
