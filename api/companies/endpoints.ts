import type { AppOptions } from '../app.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createCharging } from '../wallet/charge.ts';
import { searchEndpoint } from './search.ts';
import { snapshotEndpoint } from './snapshot.ts';

/** The section Companies of the specification. */
export function companyEndpoints(options: AppOptions): Endpoint[] {
  const charge = createCharging(options);
  return [searchEndpoint(options, charge), snapshotEndpoint(options, charge)];
}
