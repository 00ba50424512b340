import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { isLoopback } from '../../sql/process/environment.ts';

/** An address with a port, as some proxies write it: `7.7.7.1:1234`, `[2001:db8::1]:443`; or in brackets. */
const withPort = /^(?:\[(.+)\]|(.+?))(?::\d{1,5})?$/;

/** Returns an address without port and brackets, and any other text as it is. */
function withoutPort(text: string): string {
  if (isIP(text)) return text;
  const [, bracketed, bare = ''] = withPort.exec(text) ?? [];
  const address = bracketed ?? bare;
  return isIP(address) ? address : text;
}

/** Takes the ports off `X-Forwarded-For`: with them all clients would be the proxy, and one client. */
export const dropPorts: RequestHandler = (request, _response, next) => {
  const forwarded = request.headers['x-forwarded-for'];
  if (typeof forwarded === 'string') {
    const addresses = forwarded.split(',').map((text) => withoutPort(text.trim()));
    request.headers['x-forwarded-for'] = addresses.join(', ');
  }
  next();
};

/**
 * The IP address of a client; null when neither the proxy nor the socket gives one. A proxy may report
 * something else than an address. An IPv4 client of an IPv6 socket has its IPv4 address.
 */
export function clientAddressOf(request: Request): string | null {
  const address = [request.ip, request.socket.remoteAddress].find((text) => text && isIP(text));
  return address?.split('%', 1)[0]?.replace(/^::ffff:(?=\d+\.)/i, '') ?? null;
}

/** What proxies add. */
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * Whether a program of this machine has sent a request to a name of this machine, and no proxy of this
 * machine has passed it on.
 */
export function isOfThisMachine({ headers, socket }: Request): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false;
  if (proxyHeaders.some((name) => name in headers)) return false;
  return isLoopback((headers.host ?? '').replace(/:\d+$/, ''));
}
