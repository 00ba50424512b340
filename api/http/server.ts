import { randomUUID } from 'node:crypto';
import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';

/** A request that is not read whole by then, by whatever takes so little of it, is cut off. */
const requestTimeout_ms = 30_000;

/** Longer than the 60 seconds after which proxies give up an idle connection: they close it, not we. */
const keepAlive_ms = 65_000;

const brokenRequestStatus: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** Node refuses what curl sends of a query that is typed with other letters. */
const rawUrl =
  'The path and the query must be ASCII: percent-encode all other characters as UTF-8, such as ł as %C5%82.';

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, logger: Logger): void {
  // The client is gone, or has ended its side in the middle of a request.
  const isOver = error.code === 'ECONNRESET' || error.code === 'HPE_INVALID_EOF_STATE';
  if (isOver || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = brokenRequestStatus[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? '';
  const id = randomUUID();
  const body = JSON.stringify({ message: error.code === 'HPE_INVALID_URL' ? rawUrl : reason });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  logger.info({ req: { id }, res: { status }, code: error.code }, 'request refused');
}

/**
 * The server of an application, for which Node's own answers are JSON too: those to what is not HTTP,
 * or too much of it, and so never reaches the routes. What a client may ask of us but Node refuses
 * with an empty body goes to the application: no `Host` (see `requireHost`), and any `Expect`.
 */
export function createHttpServer(application: RequestListener, logger: Logger): Server {
  return createServer(
    {
      requireHostHeader: false,
      requestTimeout: requestTimeout_ms,
      headersTimeout: 10_000,
      keepAliveTimeout: keepAlive_ms,
    },
    application,
  )
    .on('checkExpectation', application)
    .on('clientError', (error, socket) => answerBrokenRequest(error, socket, logger));
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
