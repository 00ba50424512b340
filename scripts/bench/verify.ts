// Measures the rate of token verifications that the API serves under load.
import { compare, requestOf } from './load.ts';
import type { Setting } from './setting.ts';

/** The minimum number of token verifications per second, as a share of the answers per second of the bare server. */
const leastShare = 0.5;

export async function benchVerify({ tokens, startApi, startBare }: Setting): Promise<void> {
  const requests = tokens.map((token) => requestOf('POST', token));
  const urls = { api: `${await startApi()}/api/v1/tokens/verify`, bare: await startBare() };
  await compare('POST /tokens/verify', urls, requests, leastShare);
}
