import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import {
  BlockList,
  connect,
  type IPVersion,
  isIP,
  type LookupFunction,
  type SocketAddress,
  type TcpNetConnectOpts,
} from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import pLimit from 'p-limit';

// The special-purpose addresses of IANA, and 168.63.129.16, by which virtual machines of a cloud reach their host.
const ipv4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/4 240.0.0.0/4`;
// All but the global unicast addresses 2000::/3: loopback, mapped, translated, unique local, link-local and multicast
// addresses. Of 2000::/3: Teredo, ORCHID, benchmarks, documentation and 6to4.
const ipv6 = '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20';

function listSubnets(subnets: string, family: IPVersion): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(/\s+/)) {
    const [network, prefix] = subnet.split('/');
    list.addSubnet(network!, Number(prefix), family);
  }
  return list;
}

/** The addresses that no public server has. One list for both families would hold each IPv4 address as `::ffff:…`. */
class PrivateAddresses extends BlockList {
  readonly #lists = { ipv4: listSubnets(ipv4, 'ipv4'), ipv6: listSubnets(ipv6, 'ipv6') };

  override check(address: string | SocketAddress, family: IPVersion = 'ipv4'): boolean {
    return typeof address !== 'string' || this.#lists[family].check(address, family);
  }
}

const privateAddresses = new PrivateAddresses();

/** An address that is refused; the message is the end of a sentence, such as `must begin with https://`. */
export class RefusedAddress extends Error {
  override name = 'RefusedAddress';
}

/** The rule for addresses; `allowPrivate` (WEBHOOK_ALLOW_PRIVATE) is for tests and for receivers in an own network. */
export interface AddressRule {
  allowPrivate: boolean;
}

function isPrivate(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && privateAddresses.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

const notPublic = 'must name a public server, not a private, loopback or translated address';

/** Returns the parsed address of an endpoint. Throws a `RefusedAddress` for a form that is never called. */
function requireForm(url: string, { allowPrivate }: AddressRule): URL {
  if (url.length > 2_048) throw new RefusedAddress('must not be longer than 2048 characters');
  const parsed = URL.parse(url);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!parsed || !schemes.includes(parsed.protocol))
    throw new RefusedAddress('must be an address that begins with https://');
  if (parsed.username || parsed.password || url.includes('#'))
    throw new RefusedAddress('must hold no user, password or fragment');
  // The parser has turned 0x7f.1, 2130706433 and 0177.0.0.1 into 127.0.0.1.
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!allowPrivate && (isPrivate(host) || /(^|\.)localhost\.?$/.test(host)))
    throw new RefusedAddress(notPublic);
  return parsed;
}

// Of the four threads for slow work, names that nobody resolves take two at most.
const inTurn = pLimit(2);

/**
 * Throws a `RefusedAddress` for an address that is not called: of a wrong form, or whose name has a private address now.
 * A name without an address passes, since each call checks the address again.
 */
export async function requirePublic(
  url: string,
  rule: AddressRule & { lookup_ms: number },
): Promise<void> {
  const { hostname } = requireForm(url, rule);
  if (rule.allowPrivate || hostname.startsWith('[')) return;
  const found = inTurn(() => lookup(hostname, { all: true })).catch(() => []);
  const addresses = await Promise.race([found, delay(rule.lookup_ms, [], { ref: false })]);
  if (addresses.some(({ address }) => isPrivate(address))) throw new RefusedAddress(notPublic);
}

const resolver = new Resolver({ timeout: 3_000, tries: 2 });

/** Returns the addresses of a name by DNS alone: unlike `dns.lookup`, a slow name takes no thread from other work. */
async function findAddresses(name: string) {
  const [four, six] = await Promise.all([
    resolver.resolve4(name).catch(() => []),
    resolver.resolve6(name).catch(() => []),
  ]);
  return [
    ...four.map((address) => ({ address, family: 4 })),
    ...six.map((address) => ({ address, family: 6 })),
  ];
}

const lookUp: LookupFunction = (name, _options, answer) => {
  const unknown = Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
  void findAddresses(name).then((found) => answer(found.length > 0 ? null : unknown, found));
};

// `https.request` ignores a block list, so the agent opens the socket itself: the address that is checked is the
// address that is called, whatever a name resolves to.
class PublicAgent extends https.Agent {
  override createConnection(options: https.RequestOptions) {
    const target = options as TcpNetConnectOpts & tls.ConnectionOptions;
    const socket = connect({ lookup: lookUp, ...target, blockList: privateAddresses });
    return tls.connect({ ...target, socket });
  }
}

export interface AgentOptions extends AddressRule {
  /** The longest time from the call to the end of its answer, in ms. */
  answer_ms: number;
  /** The characters of an answer that are kept; the connection of a longer answer is closed. */
  kept_characters: number;
  /** The certificates of authorities instead of those of Node. */
  ca?: string;
}

export type Agent = ReturnType<typeof createAgent>;

/** Returns the connections for `postSafely`, which stay open for the next call, and end with the process. */
export function createAgent({ ca, ...options }: AgentOptions) {
  const kept = { keepAlive: true, timeout: options.answer_ms, ...(ca !== undefined && { ca }) };
  const secure = options.allowPrivate ? new https.Agent(kept) : new PublicAgent(kept);
  return { ...options, http: new http.Agent(kept), https: secure };
}

/** The outcome of a call: the status and the beginning of an answer, or why no whole answer came. */
export interface Outcome {
  status_code: number | null;
  response: string | null;
  /** The header `Retry-After` of the answer. */
  retry_after: string | null;
  error: string | null;
}

/** Sends a POST, once more where the server had closed a kept connection. Returns the answer without its body. */
async function send(agent: Agent, url: URL, { headers, body, signal }: Posting) {
  const isSecure = url.protocol === 'https:';
  const options = { method: 'POST', headers, signal, agent: isSecure ? agent.https : agent.http };
  for (;;) {
    const request = (isSecure ? https : http).request(url, options);
    request.on('error', () => undefined).end(body);
    try {
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return response;
    } catch (error) {
      const isStale =
        request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (!isStale) throw error;
    }
  }
}

interface Posting {
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/** Reads the beginning of an answer as text that PostgreSQL stores. A longer answer loses its connection. */
async function readBeginning(response: http.IncomingMessage, characters: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // A character has at most four bytes.
    if (size > characters * 4) break;
  }
  const text = Buffer.concat(chunks).toString().replaceAll('\0', '\uFFFD');
  return Array.from(text).slice(0, characters).join('');
}

/** Posts a body to an endpoint within the bounds of the agent. Follows no redirect, and never throws. */
export async function postSafely(
  agent: Agent,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
): Promise<Outcome> {
  const signal = AbortSignal.timeout(agent.answer_ms);
  try {
    const response = await send(agent, requireForm(url, agent), { headers, body, signal });
    const { statusCode = null, headers: answered } = response;
    const text = await readBeginning(response, agent.kept_characters);
    const retry_after = answered['retry-after'] ?? null;
    return { status_code: statusCode, response: text, retry_after, error: null };
  } catch (error) {
    return { status_code: null, response: null, retry_after: null, error: describe(error, signal) };
  }
}

/** Returns a sentence about a failed call, without an address of the network of the server. */
function describe(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'No whole answer came in time.';
  if (error instanceof RefusedAddress) return `The url ${error.message}.`;
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return code === 'ERR_IP_BLOCKED' ? `The url ${notPublic}.` : `The call failed: ${code}.`;
}
