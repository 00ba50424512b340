import type { Endpoint } from '../endpoint/endpoint.ts';
import type { Context } from '../http/context.ts';
import { add } from './add.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';
import { readSubmissionEndpoint } from './submission.ts';

/** Returns the endpoints that add, read and remove companies on the watch list. */
export function watchlistEndpoints(options: Context): Endpoint[] {
  return [add(options), readSubmissionEndpoint, list, remove];
}
