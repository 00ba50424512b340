import { dayEndpoint, rangeEndpoint } from './day-and-range.ts';
import { seriesEndpoints } from './series.ts';

/** The endpoints of the public statistics. (+) `?source=` chooses the registry. */
export const statsEndpoints = [dayEndpoint, rangeEndpoint, ...seriesEndpoints];
