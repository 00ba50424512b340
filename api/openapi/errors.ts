import { z } from 'zod';
import type { DocumentedError, Endpoint } from '../endpoint/endpoint.ts';

const message = z.string();

const shapes: Record<string, z.ZodObject> = {
  401: z.object({ error: z.string(), code: z.literal('UNAUTHORIZED') }).meta({
    id: 'Unauthorized',
    description: 'The token is missing, malformed, unknown, expired or revoked.',
  }),
  402: z
    .object({
      message,
      code: z.literal('INSUFFICIENT_CREDITS'),
      required: z.int(),
      balance: z.int(),
    })
    .meta({
      id: 'InsufficientCredits',
      description: 'The wallet has too few credits; nothing was withdrawn.',
    }),
  403: z
    .object({ message, code: z.literal('FORBIDDEN') })
    .meta({ id: 'Forbidden', description: 'The token is not allowed to do this.' }),
  404: z
    .object({ success: z.literal(false).optional(), message })
    .meta({ id: 'NotFound', description: 'There is no such thing.' }),
  422: z
    .object({ message, errors: z.record(z.string(), z.array(z.string())) })
    .meta({ id: 'Invalid', description: 'Fields of the request are wrong.' }),
  default: z
    .object({ message })
    .meta({ id: 'Error', description: 'An error that is nothing but its message.' }),
};

export function shapeOf(status: string): z.ZodObject {
  return shapes[status] ?? shapes.default!;
}

function plain(description: string, text: string): DocumentedError {
  return { description, example: { message: text } };
}

/** The errors that endpoints share. */
export const general = {
  304: {
    description: 'The answer is the one whose `ETag` is in `If-None-Match`; no body.',
    example: {},
  },
  400: plain(
    'The request cannot be read: a path or query that cannot be decoded, or malformed JSON.',
    'The request body is not valid JSON.',
  ),
  401: {
    description: 'The token is missing, malformed, unknown, expired or revoked.',
    example: { error: 'Missing API token', code: 'UNAUTHORIZED' },
  },
  403: {
    description: 'The token is not the Master Token.',
    example: { message: 'This operation needs the Master Token.', code: 'FORBIDDEN' },
  },
  404: plain('There is no such thing, or it belongs to another account.', 'Not Found'),
  408: plain('The request body did not arrive in time.', 'Request Timeout'),
  413: plain(
    'The request body is too large.',
    'The request body must not be larger than 16384 bytes.',
  ),
  415: plain(
    'The request body is not JSON.',
    'The request body must be sent as application/json in UTF-8.',
  ),
  422: {
    description:
      'A field is wrong, missing or unknown; `message` ends with the count of the others.',
    example: {
      message: 'The name field must be at least 3 characters. (and 1 more error)',
      errors: {
        name: ['The name field must be at least 3 characters.'],
        page: ['The page field is unknown.'],
      },
    },
  },
  429: plain(
    'Too many requests, in a window or at a time; another `message` than this one names the bound. `Retry-After` holds the seconds to wait.',
    'Too Many Attempts.',
  ),
  500: plain('A fault of the server; its log knows more under the `X-Request-Id`.', 'Server Error'),
  503: plain(
    'No answer was found in time, or too many requests wait; `Retry-After` holds the seconds to wait.',
    'Service Unavailable',
  ),
} satisfies Record<number, DocumentedError>;

function pick(...statuses: (keyof typeof general)[]): Record<number, DocumentedError> {
  return Object.fromEntries(statuses.map((status) => [status, general[status]]));
}

/** Every error that an endpoint can answer, by status. */
export function listErrors({ auth, method, params, errors }: Endpoint['description']) {
  return {
    ...(auth === 'none' && method === 'get' && pick(304)),
    ...(auth !== 'none' && pick(401)),
    ...(auth === 'master' && pick(403)),
    ...(method !== 'get' && pick(408, 413, 415)),
    ...(params && pick(404)),
    ...pick(400, 422, 429, 500, 503),
    ...errors,
  };
}
