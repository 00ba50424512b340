import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { isLoopback } from '../../sql/process/environment.ts';

// The setting TRUST_PROXY of ../environment.ts lists the trusted proxies. `addressKeyOf` of limiter.ts counts an IPv6
// client by its network (/56).

/** Matches an address with a port or in brackets, as some proxies write it: `7.7.7.1:1234`, `[2001:db8::1]:443`. */
const withPort = /^(?:\[(.+)\]|(.+?))(?::\d{1,5})?$/;

/** Returns an address without port and brackets; returns any other text unchanged. */
function withoutPort(text: string): string {
  if (isIP(text)) return text;
  const [, bracketed, bare = ''] = withPort.exec(text) ?? [];
  const address = bracketed ?? bare;
  return isIP(address) ? address : text;
}

/** Removes ports from `X-Forwarded-For`; otherwise all clients behind a proxy would count as one client. */
export const dropPorts: RequestHandler = (request, _response, next) => {
  const forwarded = request.headers['x-forwarded-for'];
  if (typeof forwarded === 'string') {
    const addresses = forwarded.split(',').map((text) => withoutPort(text.trim()));
    request.headers['x-forwarded-for'] = addresses.join(', ');
  }
  next();
};

/** Returns the IP address of a client (`::ffff:1.2.3.4` as `1.2.3.4`); null for an unknown address. */
export function clientAddressOf(request: Request): string | null {
  const address = [request.ip, request.socket.remoteAddress].find((text) => text && isIP(text));
  return address?.split('%', 1)[0]?.replace(/^::ffff:(?=\d+\.)/i, '') ?? null;
}

/** The request headers that only proxies add. */
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/** Returns whether a request came directly from a program on this machine, not through a proxy. */
export function isOfThisMachine({ headers, socket }: Request): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false;
  if (proxyHeaders.some((name) => name in headers)) return false;
  return isLoopback((headers.host ?? '').replace(/:\d+$/, ''));
}
