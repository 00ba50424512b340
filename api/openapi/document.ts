import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { Auth, Endpoint } from '../http/endpoint.ts';
import { basePath } from '../http/mount.ts';
import { listErrors, shapeOf } from './errors.ts';

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>;
type Route = Parameters<OpenAPIRegistry['registerPath']>[0];

const about = `Accounts, tokens, a prepaid wallet and the statistics of company registers.

Every error is JSON. A path that does not exist is answered with 404, a method that a path does not
have with 405 and an \`Allow\` header; both bodies are \`{"message": "…"}\`. Unknown query parameters
and fields are refused with 422.`;

const tags: Record<string, string> = {
  Accounts: 'Register, initialize and recover an account.',
  Tokens: 'API tokens, which the Master Token manages.',
  Wallet: 'Prepaid credits.',
  Companies: 'Search companies and read their full profiles; both cost credits.',
  'Company monitor': 'Watch companies: what changes about them, and who is told.',
  Statistics: 'What the daily snapshots of the registers counted; no token needed.',
  Document: 'This document.',
};

const schemes: Record<string, string> = {
  master: 'The Master Token (`sk_live_…`): full access, token management included.',
  token: 'An API token (`sk_api_…`): data and the wallet, but no token management.',
};

const security: Record<Auth, Record<string, string[]>[]> = {
  none: [],
  token: [{ token: [] }, { master: [] }],
  master: [{ master: [] }],
};

const headers = {
  'RateLimit-Policy': ['The limit and its window (draft 8 of the HTTP working group).', 'string'],
  RateLimit: ['What is left of the limit, and the seconds until it starts anew.', 'string'],
  'X-RateLimit-Limit': ['Requests per window.', 'integer'],
  'X-RateLimit-Remaining': ['What is left of them.', 'integer'],
  'X-RateLimit-Reset': ['When the window ends, in seconds since 1970.', 'integer'],
  'Retry-After': ['Seconds to wait.', 'integer'],
} as const;

function refHeaders(names: string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const limitHeaders = refHeaders(Object.keys(headers).filter((name) => name !== 'Retry-After'));
const refusalHeaders = refHeaders(Object.keys(headers));

/**
 * The OpenAPI document of the endpoints, made from the schemas by which their requests are checked.
 *
 * @param baseUrl where the API is reached, without a slash at the end
 */
export function createDocument(endpoints: Endpoint[], baseUrl: string): OpenApiDocument {
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
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Company registry',
      version: '1.0.0',
      description: about,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    tags: [...used].map((name) => ({ name, description: tags[name] ?? name })),
  });
}

function describe(description: Endpoint['description']): Route {
  const { method, path, tag, summary, auth, params, query, body, status } = description;
  return {
    method,
    path: basePath + path,
    operationId: [method, ...path.match(/\w+/g)!].join('_'),
    tags: [tag],
    summary,
    ...(description.description === undefined ? {} : { description: description.description }),
    security: security[auth],
    request: {
      ...(params ? { params } : {}),
      ...(query ? { query } : {}),
      ...(description.headers ? { headers: description.headers } : {}),
      ...(body ? { body: describeBody(body, description.bodyExample) } : {}),
    },
    responses: {
      [status]: {
        description: 'Done.',
        headers: limitHeaders,
        content: jsonOf(description.answer, description.example),
      },
      ...Object.fromEntries(
        listErrors(description).map(([code, error]) => [
          code,
          {
            description: error.description,
            headers: code === 429 ? refusalHeaders : {},
            // Not modified: there is nothing to say.
            ...(code === 304 ? {} : { content: jsonOf(shapeOf(code), error.example) }),
          },
        ]),
      ),
    },
  };
}

function describeBody(body: z.ZodType, example: object | undefined) {
  return { required: !body.safeParse({}).success, content: jsonOf(body, example) };
}

function jsonOf(schema: z.ZodType, example: object | undefined) {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

/** `GET /openapi.json`: the document, made when it is first asked for. */
export function documentEndpoint(makeDocument: () => OpenApiDocument): Endpoint {
  let made: OpenApiDocument | undefined;
  return {
    description: {
      method: 'get',
      path: '/openapi.json',
      tag: 'Document',
      summary: 'This document',
      auth: 'none',
      status: 200,
      answer: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
      example: { openapi: '3.1.0', info: {}, paths: {} },
    },
    handle: () => Promise.resolve((made ??= makeDocument())),
  };
}
