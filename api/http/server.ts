import { randomUUID } from 'node:crypto';
import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { patience } from '../figures/timeouts.ts';
import { withCode } from './errors.ts';

const brokenRequestStatus: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** The error message for a URL with raw non-ASCII letters, which curl sends and Node refuses. */
const rawUrl =
  'The path and the query must be ASCII: percent-encode all other characters as UTF-8, such as ł as %C5%82.';

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex, logger: Logger): void {
  // `ECONNRESET` and `HPE_INVALID_EOF_STATE` mean that the client disconnected, so no answer is sent.
  const isOver = error.code === 'ECONNRESET' || error.code === 'HPE_INVALID_EOF_STATE';
  if (isOver || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = brokenRequestStatus[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? '';
  const id = randomUUID();
  const message = error.code === 'HPE_INVALID_URL' ? rawUrl : reason;
  const body = JSON.stringify(withCode({ message }, status));
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
 * Returns the HTTP server of the API, which answers malformed HTTP with an error in JSON. The application also answers
 * requests without `Host` or with an unknown `Expect`, to which Node would send an empty body.
 */
export function createHttpServer(application: RequestListener, logger: Logger): Server {
  return createServer(
    {
      requireHostHeader: false,
      requestTimeout: patience.request_ms,
      headersTimeout: patience.headers_ms,
      keepAliveTimeout: patience.idleConnection_ms,
    },
    application,
  )
    .prependListener('request', (request, response) => {
      response.once('finish', () => {
        // The server closes the connection of an unfinished request, because no code reads the rest of the body.
        if (!request.complete) request.socket.destroySoon();
      });
    })
    .on('checkExpectation', application)
    .on('clientError', (error, socket) => answerBrokenRequest(error, socket, logger));
}

/** Returns a function that makes the server close each connection after the connection's current or next answer. */
export function watchAnswers(server: Server): () => void {
  // The set has connections, not answers: V8 would keep answers that were in a set until a full garbage collection.
  // `_httpMessage` of a connection is its unfinished answer.
  const connections = new Set<Socket & { _httpMessage?: ServerResponse | null }>();
  let isEnding = false;
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (isEnding) response.shouldKeepAlive = false;
  });
  return () => {
    isEnding = true;
    for (const { _httpMessage: pending } of connections) {
      if (pending) pending.shouldKeepAlive = false;
    }
  };
}
