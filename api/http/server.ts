import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';

/** A request that is not read whole by then, by whatever takes so little of it, is cut off. */
const requestTimeout_ms = 30_000;

const brokenRequestStatus: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = brokenRequestStatus[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ message: reason });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * The server of an application, for which Node's own answers are JSON too: those to what is not HTTP,
 * or too much of it, and so never reaches the routes. What a client may ask of us but Node refuses
 * with an empty body goes to the application: no `Host` (see `requireHost`), and any `Expect`.
 */
export function createHttpServer(application: RequestListener): Server {
  return createServer(
    { requireHostHeader: false, requestTimeout: requestTimeout_ms, headersTimeout: 10_000 },
    application,
  )
    .on('checkExpectation', application)
    .on('clientError', answerBrokenRequest);
}

/**
 * Watches the answers of a server.
 *
 * @returns makes every answer from now on, those under way included, the last of its connection, so
 * that no client sends another request into a connection that is about to be closed
 */
export function watchAnswers(server: Server): () => void {
  const underWay = new Set<ServerResponse>();
  let isEnding = false;
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (isEnding) response.shouldKeepAlive = false;
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return () => {
    isEnding = true;
    for (const response of underWay) response.shouldKeepAlive = false;
  };
}
