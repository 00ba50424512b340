import { dayEndpoint, rangeEndpoint } from './day-and-range.ts';
import { seriesEndpoints } from './series.ts';

/** Lists the endpoints of the public statistics. (+) `?source=` selects the registry. */
export const statsEndpoints = [dayEndpoint, rangeEndpoint, ...seriesEndpoints];
