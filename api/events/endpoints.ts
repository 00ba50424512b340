import { feed } from './feed.ts';
import { feedPage } from './feed-page.ts';
import { historyEndpoints } from './history.ts';

export const eventEndpoints = [...historyEndpoints, feedPage, feed];
