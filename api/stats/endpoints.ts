import { dayEndpoint, rangeEndpoint } from './day-and-range.ts';
import { seriesEndpoints } from './series.ts';

/** The endpoints of the public statistics. (+) The query parameter `source` selects the registry. */
export const statsEndpoints = [dayEndpoint, rangeEndpoint, ...seriesEndpoints];
