import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { BlockList, connect, isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';

// The subnets that are never called. For IPv4 these are the special-purpose addresses of IANA, and 168.63.129.16, the
// host of virtual machines in a cloud. For IPv6 these are all addresses outside of 2000::/3 (global unicast), such as
// loopback, link-local, NAT64 (64:ff9b::/96), and inside of 2000::/3 Teredo, ORCHID, benchmarks, documentation, 6to4.
const subnets = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/4 240.0.0.0/4 ::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20`;

// IPv4 and IPv6 have separate lists, because a common list would compare IPv4 addresses as `::ffff:…`.
const lists = { 4: new BlockList(), 6: new BlockList() };
for (const subnet of subnets.split(/\s+/)) {
  const [network, prefix] = subnet.split('/') as [string, string];
  const version = isIP(network) as 4 | 6;
  lists[version].addSubnet(network, Number(prefix), `ipv${version}`);
}

function isPrivate(address: string): boolean {
  const version = isIP(address) as 0 | 4 | 6;
  return version !== 0 && lists[version].check(address, `ipv${version}`);
}

const privateAddresses = Object.assign(new BlockList(), { check: isPrivate });

const notPublic = 'must name a public server, not a private, loopback or translated address';

export const longestUrl = 2_048;

/** Returns why a webhook's address can never be called, as the end of a sentence; undefined if it is well-formed. */
function findFault(url: string, allowPrivate: boolean): string | undefined {
  if (url.length > longestUrl) return `must not be longer than ${longestUrl} characters`;
  const parsed = URL.parse(url);
  const isSecure = parsed?.protocol === 'https:';
  if (!isSecure && !(allowPrivate && parsed?.protocol === 'http:'))
    return 'must be an address that begins with https://';
  if (parsed.username || parsed.password || url.includes('#'))
    return 'must hold no user, password or fragment';
  // The URL parser has turned 0x7f.1, 2130706433 and 0177.0.0.1 into 127.0.0.1.
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  const isRefused = isPrivate(host) || /(^|\.)localhost\.?$/.test(host);
  return isRefused && !allowPrivate ? notPublic : undefined;
}

const resolver = new Resolver({ timeout: 3_000, tries: 2 });

/** Returns the IP addresses of a host name by DNS alone: unlike in `dns.lookup`, a slow name blocks no thread. */
async function findAddresses(name: string) {
  const families = [4, 6].map(async (family) => {
    const found = await resolver.resolve(name, family === 4 ? 'A' : 'AAAA').catch(() => []);
    return found.map((address) => ({ address, family }));
  });
  return (await Promise.all(families)).flat();
}

/**
 * Returns why a webhook's address cannot be registered, as the end of a sentence: its form is wrong, or its host name
 * has a private IP address now. A host name without an IP address passes, because each call checks the address again.
 */
export async function findRefusal(
  url: string,
  { allowPrivate, lookup_ms }: { allowPrivate: boolean; lookup_ms: number },
): Promise<string | undefined> {
  const fault = findFault(url, allowPrivate);
  const { hostname = '' } = URL.parse(url) ?? {};
  if (fault !== undefined || allowPrivate || isIP(hostname)) return fault;
  const late = delay(lookup_ms, [], { ref: false });
  const addresses = await Promise.race([findAddresses(hostname), late]);
  return addresses.some(({ address }) => isPrivate(address)) ? notPublic : undefined;
}

const lookUp: LookupFunction = (name, _options, answer) => {
  const unknown = Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
  void findAddresses(name).then((found) => answer(found.length > 0 ? null : unknown, found));
};

// `https.request` ignores a block list, so the agent opens the socket itself: the checked IP address is the called one.
class PublicAgent extends https.Agent {
  override createConnection(options: https.RequestOptions) {
    const target = options as TcpNetConnectOpts & tls.ConnectionOptions;
    const socket = connect({ lookup: lookUp, ...target, blockList: privateAddresses });
    return tls.connect({ ...target, socket });
  }
}

interface AgentOptions {
  /** Whether private addresses and addresses without TLS may be called (WEBHOOK_ALLOW_PRIVATE). */
  allowPrivate: boolean;
  answer_ms: number;
  kept_characters: number;
  /** The certificates of the authorities that are trusted in place of Node's own list. */
  ca?: string;
}

export type Agent = ReturnType<typeof createAgent>;

/** Returns the HTTP agents for `postSafely`; their connections stay open for later calls, and end with the process. */
export function createAgent({ ca, ...options }: AgentOptions) {
  const kept = { keepAlive: true, timeout: options.answer_ms, ...(ca !== undefined && { ca }) };
  const secure = options.allowPrivate ? new https.Agent(kept) : new PublicAgent(kept);
  return { ...options, http: new http.Agent(kept), https: secure };
}

/** The outcome of a call: status and beginning of the answer, or the reason why no complete answer was received. */
export interface Outcome {
  status_code: number | null;
  response: string | null;
  /** The header `Retry-After` of the answer. */
  retry_after: string | null;
  error: string | null;
}

interface Posting {
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends a POST, and repeats it if the server had closed the reused connection. Returns an answer with an unread body.
 */
async function send(agent: Agent, url: URL, { headers, body }: Posting, signal: AbortSignal) {
  const isSecure = url.protocol === 'https:';
  const options = { method: 'POST', headers, signal, agent: isSecure ? agent.https : agent.http };
  for (;;) {
    const request = (isSecure ? https : http).request(url, options);
    request.on('error', () => undefined).end(body);
    try {
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return response;
    } catch (error) {
      if (!request.reusedSocket || codeOf(error) !== 'ECONNRESET') throw error;
    }
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Returns the first `characters` of an answer's text, and closes the connection if more bytes follow. */
async function readBeginning(response: http.IncomingMessage, characters: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Four bytes per kept character are enough, because a character has at most four bytes in UTF-8.
    if (size > characters * 4) break;
  }
  const text = Buffer.concat(chunks).toString().replaceAll('\0', '\uFFFD');
  return Array.from(text).slice(0, characters).join('');
}

/** Posts a body to a webhook's endpoint within the agent's limits. Does not follow redirects, and never throws. */
export async function postSafely(
  agent: Agent,
  { url, ...posting }: Posting & { url: string },
): Promise<Outcome> {
  const none = { status_code: null, response: null, retry_after: null };
  const fault = findFault(url, agent.allowPrivate);
  if (fault !== undefined) return { ...none, error: `The url ${fault}.` };
  const signal = AbortSignal.timeout(agent.answer_ms);
  try {
    const answer = await send(agent, new URL(url), posting, signal);
    const response = await readBeginning(answer, agent.kept_characters);
    // An answer without a stated length looks complete when the timeout closes its connection.
    signal.throwIfAborted();
    const { statusCode: status_code = null, headers } = answer;
    return { status_code, response, retry_after: headers['retry-after'] ?? null, error: null };
  } catch (error) {
    if (signal.aborted) return { ...none, error: 'No whole answer came in time.' };
    const code = codeOf(error);
    const isBlocked = code === 'ERR_IP_BLOCKED';
    // The message is shown to clients, so it must not reveal an address of this server's network.
    return { ...none, error: isBlocked ? `The url ${notPublic}.` : `The call failed: ${code}.` };
  }
}
