// Whether the memory of the API levels off under requests.
import { load, requestOf } from './load.ts';
import { judgeAtMost } from './measurement.ts';
import { type Setting, waitUntilLoaded } from './setting.ts';

const [rounds, round_s] = [6, 4];
/** The memory at the end, by that after half of the rounds. */
const growth = 1.05;

/** The memory of an API process, or of the index that it shares, in megabytes. */
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
  for (let round = 0; round < rounds; round += 1) {
    for (const path of ['/wallet', '/watchlist/events']) {
      const { requests: sent } = await load(`${api}/api/v1${path}`, requests, round_s / 2);
      count += sent.total;
    }
    measured.push(await readMemory_mb(api));
  }
  const half = measured[rounds / 2]!;
  const written = measured.map((mb) => mb.toFixed(0)).join(', ');
  const name = `Memory of the API over ${count.toLocaleString('en')} requests (${written} MB)`;
  judgeAtMost(name, measured.at(-1)! / half, growth, '× that after half of them');
}
