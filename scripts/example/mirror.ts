// Keeps a local copy of a watch list's events, from webhooks. After a missed call, reads the feed of events.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import createClient from 'openapi-fetch';
import { Webhook } from 'standardwebhooks';
import type { paths } from './registry.ts';

type Feed = paths['/api/v1/events/feed']['get']['responses']['200']['content']['application/json'];
type Event = Feed['data'][number];
type Delivery = {
  type: 'events' | 'test';
  data: { previous_cursor: string; cursor: string; events: Event[] };
};

const { API_URL = '', API_TOKEN = '', WEBHOOK_SECRET = '', COPY = 'copy.json' } = process.env;
const api = createClient<paths>({
  baseUrl: API_URL,
  headers: { Authorization: `Bearer ${API_TOKEN}` },
});
const webhook = new Webhook(WEBHOOK_SECRET);

/** The copy: all events of the watched companies up to `cursor`, by company reference and event id. */
type Copy = { cursor?: string; companies: Record<string, Record<string, Event>> };
const copy: Copy = existsSync(COPY) ? JSON.parse(readFileSync(COPY, 'utf8')) : { companies: {} };

/** Writes events and their cursor together, so that an interruption leaves the copy unchanged. */
function keep(events: Event[], cursor: string): void {
  for (const event of events) (copy.companies[event.company_ref] ??= {})[event.id] = event;
  copy.cursor = cursor;
  writeFileSync(`${COPY}.new`, JSON.stringify(copy));
  renameSync(`${COPY}.new`, COPY);
}

/** Reads the feed of events from the cursor of the copy to its end, and adds the events to the copy. */
async function catchUp(): Promise<void> {
  for (let hasMore = true; hasMore;) {
    const query = { limit: 1000, ...(copy.cursor !== undefined && { after: copy.cursor }) };
    const { data: part, error } = await api.GET('/api/v1/events/feed', { params: { query } });
    if (!part) throw new Error(error.message);
    keep(part.data, part.meta.next_cursor);
    console.log(`The feed has brought ${part.data.length} events.`);
    hasMore = part.meta.has_more;
  }
}

/** Adds the events of a delivery if it begins where the copy ends. After a missed delivery, reads the feed instead. */
async function take({ type, data }: Delivery): Promise<void> {
  if (type !== 'events' || data.cursor === copy.cursor) return;
  if (data.previous_cursor === copy.cursor) keep(data.events, data.cursor);
  else await catchUp();
}

await catchUp();
let turn: Promise<void> = Promise.resolve();
const server = createServer(async (request, response) => {
  try {
    const headers = request.headers as Record<string, string>;
    const delivery = webhook.verify(await text(request), headers) as Delivery;
    await (turn = turn.catch(() => undefined).then(() => take(delivery)));
    response.writeHead(204).end();
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log(server.address()));
