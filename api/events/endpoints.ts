import { feed } from './feed.ts';
import { feedPage } from './watched-events.ts';
import { historyEndpoints } from './history.ts';

export const eventEndpoints = [...historyEndpoints, feedPage, feed];
