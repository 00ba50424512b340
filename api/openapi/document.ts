import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  OpenApiGeneratorV31,
  OpenAPIRegistry,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { Enums } from '../dictionaries/names.ts';
import { model } from '../endpoint/answers.ts';
import type { Auth, DocumentedError, Endpoint } from '../endpoint/endpoint.ts';
import codes from '../http/error-codes.json' with { type: 'json' };
import { commonHeaders, type Header, headers } from '../http/headers.ts';
import { keep } from '../http/cached-read.ts';
import { productVersion } from '../../sql/version-check.ts';
import { limits } from '../figures/rate-limits.ts';
import { basePath, isPublic } from '../endpoint/mount.ts';
import { deliveryRoute } from '../webhooks/documented-call.ts';
import { complete, descriptions, type OpenApiDocument } from './descriptions-and-examples.ts';
import general from './errors.json' with { type: 'json' };
import special from './operation-errors.json' with { type: 'json' };

const introduction = readFileSync(join(import.meta.dirname, 'introduction.md'), 'utf8');

const security: Record<Auth, Record<string, string[]>[]> = {
  none: [],
  token: [{ token: [] }, { master: [] }],
  master: [{ master: [] }],
};

/** The headers that an error has in addition to the headers of every answer, by the status of the error. */
const errorHeaders: Record<string, Header[]> = {
  304: ['ETag'],
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The header `Cache-Control` of answers and errors of all endpoints that are not public (`isPublic`). */
const noStore = {
  description: 'No cache may keep the answer.',
  schema: { type: 'string', const: 'no-store' },
} as const;

/** Returns the headers of an endpoint's answer with the status `code`, which may be an error. */
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

/** Returns the OpenAPI document of the endpoints of ../app.ts. Without `enums`, it has no values of dictionaries. */
export function createDocument(endpoints: Endpoint[], enums?: Enums): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  for (const name of ['master', 'token']) {
    const description = descriptions[`scheme.${name}`]!;
    const scheme = { type: 'http', scheme: 'bearer', description } as const;
    registry.registerComponent('securitySchemes', name, scheme);
  }
  for (const [name, type] of Object.entries(headers)) {
    const description = descriptions[`header.${name}`]!;
    registry.registerComponent('headers', name, { description, schema: { type } });
  }
  for (const { description } of endpoints) registry.registerPath(describe(description));
  registry.registerWebhook(deliveryRoute);
  const used = new Set(endpoints.map(({ description }) => description.tag));
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Company registry',
      version: productVersion,
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    // The URL is relative, since the host that serves the document also serves the API.
    servers: [{ url: '/' }],
    tags: [...used].map((name) => ({ name, description: descriptions[`tag.${name}`]! })),
  });
  complete(document, enums);
  return document;
}

/** Returns the name of an operation, such as `get_wallet_transactions`. */
function operationOf({ method, path }: Endpoint['description']): string {
  return [method, ...path.match(/\w+/g)!].join('_');
}

function describe(description: Endpoint['description']): RouteConfig {
  const { method, path, tag, summary, auth, params, query, body, status = 200 } = description;
  const { limit, mediaType, answer, example, csvExample } = description;
  const { request_count, window_ms } = limit ?? limits.general;
  return {
    method,
    path: basePath + path,
    operationId: operationOf(description),
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
          content: { 'application/json': { schema: body } },
        },
      }),
    },
    responses: {
      [status]: {
        description: 'Done.',
        headers: headersOf(description, String(status)),
        content: {
          ...(!mediaType && { 'application/json': { schema: answer, example } }),
          ...(csvExample && { 'text/csv': { schema: z.string(), example: csvExample } }),
        },
      },
      ...Object.fromEntries(
        Object.entries(listErrors(description)).map(([code, error]) => [
          code,
          {
            description: error.description,
            headers: headersOf(description, code),
            // A 304 has no body, so it has no content.
            ...(code !== '304' && {
              content: {
                'application/json': {
                  schema: shapes[code] ?? shapes.default!,
                  example: error.example,
                },
              },
            }),
          },
        ]),
      ),
    },
  };
}

const message = z.string();

/** The schema of an error's code. Codes are an open list, since later versions may add codes. */
function codeSchema(id: string, known: object) {
  return z.string().meta({ id, 'x-extensible-enum': Object.keys(known) });
}

const code = codeSchema('ErrorCode', codes.answers);
const fieldCode = codeSchema('FieldCode', codes.fields);
const listByField = <Item extends z.ZodType>(item: Item) => z.record(z.string(), z.array(item));

const shapes: Record<string, z.ZodObject> = {
  401: model('Unauthorized', { error: z.string(), message, code: z.literal('UNAUTHORIZED') }),
  402: model('InsufficientCredits', {
    message,
    code: z.literal('INSUFFICIENT_CREDITS'),
    required: z.int(),
    balance: z.int(),
  }),
  403: model('Forbidden', { message, code: z.literal('FORBIDDEN') }),
  404: model('NotFound', { success: z.literal(false).optional(), message, code }),
  422: model('Invalid', {
    message,
    errors: listByField(z.string()),
    codes: listByField(fieldCode),
    code,
  }),
  default: model('Error', { message, code }),
};

/** Returns the errors with the given statuses, as components that endpoints share. */
function pick(...statuses: (keyof typeof general)[]): Record<string, DocumentedError> {
  return Object.fromEntries(statuses.map((status) => [status, general[status]]));
}

/** Returns every error that an endpoint can answer, by status. */
function listErrors(description: Endpoint['description']): Record<string, DocumentedError> {
  const { auth, method, params, errors } = description;
  const byOperation: Record<string, Record<string, DocumentedError>> = special;
  return {
    ...(auth === 'none' && method === 'get' && pick('304')),
    ...(auth !== 'none' && pick('401')),
    ...(auth === 'master' && pick('403')),
    ...(method !== 'get' && pick('408', '413', '415')),
    ...(params && pick('404')),
    ...pick('400', '422', '429', '500', '503'),
    ...errors,
    ...byOperation[operationOf(description)],
  };
}

/** Returns the endpoint `GET /openapi.json`, which makes the document at the first request. */
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
