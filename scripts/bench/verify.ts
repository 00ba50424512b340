// Measures the verification of tokens under load.
import { compare, requestOf } from './load.ts';
import type { Setting } from './setting.ts';

/** The least rate of token verifications, as a share of the rate of the bare server. */
const leastShare = 0.5;

export async function benchVerify({ tokens, startApi, startBare }: Setting): Promise<void> {
  const requests = tokens.map((token) => requestOf('POST', token));
  const urls = { api: `${await startApi()}/api/v1/tokens/verify`, bare: await startBare() };
  await compare('POST /tokens/verify', urls, requests, leastShare);
}
