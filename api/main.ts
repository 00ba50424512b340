import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import { connect, type Database } from '../sql/database.ts';
import { EnvironmentError } from '../sql/environment.ts';
import { readSecretKey } from '../sql/secrets/secret-key.ts';
import { createApp } from './app.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { createPayment } from './wallet/payment.ts';
import { createHttpServer, watchAnswers } from './http/server.ts';

const grace_ms = 10_000;

/** The log is written when so much of it has come together, or so long after the first of it. */
const [logChunk_characters, logDelay_ms] = [8_192, 100];

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function explainListening(error: NodeJS.ErrnoException, port: number): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${port} is in use by another program; stop it, or set PORT to another one.`;
  }
  return `Cannot listen on port ${port}: ${error.message}.`;
}

/** Waits until the requests in flight are answered, but no longer than the grace; then lets go of everything. */
async function stop(server: Server, database: Database, logger: Logger): Promise<void> {
  const closed = new Promise<'closed'>((resolve) => server.close(() => resolve('closed')));
  // A connection that is kept alive would hold the server for seconds after its last answer.
  setInterval(() => server.closeIdleConnections(), 50).unref();
  if ((await Promise.race([closed, delay(grace_ms)])) !== 'closed') {
    logger.warn(`Requests were cut off after ${grace_ms / 1000} seconds`);
    server.closeAllConnections();
  }
  // A statement that does not return must not keep the process.
  await Promise.race([database.close(), delay(grace_ms)]);
}

async function serve(environment: Environment): Promise<void> {
  // Lines are written together; the rest of them when the process ends.
  const together = { minLength: logChunk_characters, periodicFlush: logDelay_ms };
  const lines = pino.destination({ fd: 2, sync: false, ...together });
  const logger = pino({ level: environment.logLevel }, lines);
  const secretKey = await readSecretKey(environment.dataDir, environment.secretKey);
  const database = await connect({
    databaseUrl: environment.databaseUrl,
    dataDir: environment.dataDir,
    applicationName: 'registry-api',
  });
  let isStopping = false;
  // Where the API is reached may depend on the port that it gets.
  let app: RequestListener | undefined;
  const server = createHttpServer((request, response) => app?.(request, response));
  const endConnections = watchAnswers(server);
  let port: number;
  try {
    port = await listen(server, environment.port);
  } catch (error) {
    await database.close();
    throw new Error(explainListening(error as NodeJS.ErrnoException, environment.port), {
      cause: error,
    });
  }
  const baseUrl = environment.baseUrl ?? `http://localhost:${port}`;
  app = createApp({
    db: database.kysely,
    logger,
    now: () => new Date(),
    trustProxy: environment.trustProxy,
    isStopping: () => isStopping,
    secretKey,
    baseUrl,
    isRegistrationOpen: environment.isRegistrationOpen,
    payment: createPayment({ ...environment.payment, baseUrl }),
    searchCredits: environment.searchCredits,
    snapshotCredits: environment.snapshotCredits,
  });

  // Ignored from the second time on: a terminal and `npm` may both send the same signal.
  const stopOnce = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    endConnections();
    logger.info(`${signal}: stopping`);
    stop(server, database, logger).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stopOnce);
  process.on('SIGINT', stopOnce);
  process.stdout.write(`Listening on http://localhost:${port}\n`);
}

try {
  await serve(readEnvironment());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof EnvironmentError ? 2 : 1);
}
