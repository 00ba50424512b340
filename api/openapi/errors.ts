import { z } from 'zod';
import type { DocumentedError, Endpoint } from '../endpoint/endpoint.ts';
import general from './errors.json' with { type: 'json' };

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
    .meta({ id: 'NotFound', description: 'The path or the requested item does not exist.' }),
  422: z
    .object({ message, errors: z.record(z.string(), z.array(z.string())) })
    .meta({ id: 'Invalid', description: 'Fields of the request are wrong.' }),
  default: z
    .object({ message })
    .meta({ id: 'Error', description: 'An error with a message alone.' }),
};

export function shapeOf(status: string): z.ZodObject {
  return shapes[status] ?? shapes.default!;
}

/** Returns the errors with the given statuses, which endpoints share. */
function pick(...statuses: (keyof typeof general)[]): Record<string, DocumentedError> {
  return Object.fromEntries(statuses.map((status) => [status, general[status]]));
}

/** Returns every error that an endpoint can answer, by status. */
export function listErrors({
  auth,
  method,
  params,
  errors,
}: Endpoint['description']): Record<string, DocumentedError> {
  return {
    ...(auth === 'none' && method === 'get' && pick('304')),
    ...(auth !== 'none' && pick('401')),
    ...(auth === 'master' && pick('403')),
    ...(method !== 'get' && pick('408', '413', '415')),
    ...(params && pick('404')),
    ...pick('400', '422', '429', '500', '503'),
    ...errors,
  };
}
