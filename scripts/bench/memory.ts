// Measures how much memory the API uses after many requests.
import { load, requestOf } from './load.ts';
import { judgeAtMost } from './judge.ts';
import { type Setting, waitUntilLoaded } from './setting.ts';

const [clientCount, requestCount, part_s] = [64, 80_000, 2];
const most_mb = 250;
const paths = ['/wallet', '/watchlist/events', '/companies/search?voivodeship=opolskie'];

/** Returns the memory in megabytes that an API process or its search index uses. */
export async function readMemory_mb(
  api: string,
  metric: 'process_resident' | 'registry_search' = 'process_resident',
): Promise<number> {
  const metrics = await (await fetch(`${api}/metrics`)).text();
  const [, bytes] = new RegExp(`^${metric}_memory_bytes (\\S+)`, 'm').exec(metrics)!;
  return Number(bytes) / 1024 ** 2;
}

export async function benchMemory({ tokens, startApi }: Setting): Promise<void> {
  const api = await startApi();
  await waitUntilLoaded(api);
  const requests = tokens.map((token) => requestOf('GET', token));
  const measured: number[] = [await readMemory_mb(api)];
  let count = 0;
  while (count < requestCount) {
    for (const path of paths) {
      const { requests: sent } = await load(`${api}/api/v1${path}`, requests, part_s, clientCount);
      count += sent.total;
    }
    measured.push(await readMemory_mb(api));
  }
  const written = measured.map((mb) => mb.toFixed(0)).join(', ');
  const name = `Memory of the API over ${count.toLocaleString('en')} requests (${written} MB)`;
  judgeAtMost(name, Math.max(...measured), most_mb, 'MB');
}
