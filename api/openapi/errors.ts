import { z } from 'zod';
import { model } from '../endpoint/answers.ts';
import type { DocumentedError, Endpoint } from '../endpoint/endpoint.ts';
import general from './errors.json' with { type: 'json' };

const message = z.string();

const shapes: Record<string, z.ZodObject> = {
  401: model('Unauthorized', { error: z.string(), code: z.literal('UNAUTHORIZED') }),
  402: model('InsufficientCredits', {
    message,
    code: z.literal('INSUFFICIENT_CREDITS'),
    required: z.int(),
    balance: z.int(),
  }),
  403: model('Forbidden', { message, code: z.literal('FORBIDDEN') }),
  404: model('NotFound', { success: z.literal(false).optional(), message }),
  422: model('Invalid', { message, errors: z.record(z.string(), z.array(z.string())) }),
  default: model('Error', { message }),
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
