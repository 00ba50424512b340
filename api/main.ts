import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Pool } from 'pg';
import { destination, type Logger } from 'pino';
import { connect } from '../sql/connection/database.ts';
import { countSnapshots, revokeDemoTokens } from '../sql/demo-account.ts';
import { EnvironmentError, isLoopback } from '../sql/process/environment.ts';
import { openKysely } from '../sql/connection/kysely.ts';
import { openPool } from '../sql/connection/pool.ts';
import { onlyWriter } from '../sql/connection/readers.ts';
import { openMetricsPort } from '../sql/metrics/server.ts';
import { openLog, sayAtOnce } from '../sql/process/log.ts';
import { readSecretKey } from '../sql/secrets/secret-key.ts';
import { type AppOptions, createApp } from './app.ts';
import { createSearchIndex } from './search/client.ts';
import { createUses } from './auth/token-uses.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { sessions } from './figures/resources.ts';
import { patience } from './figures/timeouts.ts';
import { createLimiter } from './http/limiter.ts';
import { createMetrics } from './http/metrics.ts';
import { createHttpServer, watchAnswers } from './http/server.ts';
import { createPayment } from './wallet/payment.ts';

const { stop_ms: grace_ms, database_ms: patience_ms } = patience;

/** Returns an error that explains why the process cannot listen on HOST and PORT. */
function explainListening(cause: NodeJS.ErrnoException, { PORT, HOST }: Environment): Error {
  if (cause instanceof EnvironmentError) return cause;
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND') {
    return new EnvironmentError(`HOST must be an address of this machine; ${HOST} is none.`);
  }
  const sentence =
    cause.code === 'EADDRINUSE'
      ? `Port ${PORT} is in use by another program; stop it, or set PORT to another one.`
      : `Cannot listen on port ${PORT}: ${cause.message}.`;
  return new Error(sentence, { cause });
}

/** Waits until the requests in progress are answered, but at most for `grace_ms`; then closes all connections. */
async function stop(server: Server, close: () => Promise<void>, logger: Logger): Promise<void> {
  const closed = new Promise<'closed'>((resolve) => server.close(() => resolve('closed')));
  // Idle connections are closed, since each would keep the server open for up to `idleConnection_ms`.
  setInterval(() => server.closeIdleConnections(), 50).unref();
  if ((await Promise.race([closed, delay(grace_ms)])) !== 'closed') {
    logger.warn(`Requests were cut off after ${grace_ms / 1000} seconds`);
    server.closeAllConnections();
  }
  // After `grace_ms` the process ends even if a database statement has not ended.
  await Promise.race([close(), delay(grace_ms)]);
}

const now = (): Date => new Date();

/** Returns how much published data is invented: 'all' (also by the setting SAMPLE_DATA), 'some'; undefined: none. */
async function findSample(pool: Pool, SAMPLE_DATA: boolean): Promise<AppOptions['sample']> {
  const { invented, real } = await countSnapshots(pool);
  if (invented > 0 && real > 0) return 'some';
  return SAMPLE_DATA || invented > 0 ? 'all' : undefined;
}

async function serve(environment: Environment): Promise<void> {
  // V8 may use 32 MB for young objects, which loading the modules needs anyway; 128 MB made no request faster.
  setFlagsFromString('--semi-space-growth-factor=1');
  // V8 collects old objects after their memory has grown by half, instead of by up to four times: the process takes 204
  // MB instead of 316, and requests need no more CPU.
  setFlagsFromString('--heap-growing-percent=50');
  // The log is written when 8,192 characters are buffered, every 100 ms, and when the process ends.
  const lines = destination({ fd: 2, sync: false, minLength: 8_192, periodicFlush: 100 });
  const logger = await openLog(environment.LOG_LEVEL, lines);
  const secretKey = await readSecretKey(environment.DATA_DIR, environment.SECRET_KEY);
  const database = await connect({ ...environment, applicationName: 'registry-api', patience_ms });
  const isNameless = !environment.DATABASE_NAMED_STATEMENTS;
  const servers = [...database.readConnections, database.connection];
  const downloadPools = servers.map((connection) =>
    openPool({
      ...connection,
      isNameless,
      max: sessions.downloads,
      connectionTimeoutMillis: patience.downloadSession_ms,
      patience_ms: patience.downloadQuery_ms,
    }),
  );
  const own = { patience_ms, isNameless, max: sessions.gate };
  const gatePool = openPool({ ...database.connection, ...own });
  const gate = openKysely(gatePool);
  const uses = createUses(gate);
  const searchIndex = createSearchIndex(servers, { folder: join(environment.DATA_DIR, 'search') });
  const db = openKysely(database.pool);
  const readers = database.readers ?? onlyWriter(db);
  const metrics = createMetrics({ pool: database.pool, readers, searchIndex, now });
  const close = async () => {
    searchIndex.close();
    await uses.flush();
    await Promise.all([gatePool, ...downloadPools].map((pool) => pool.end()));
    await database.close();
  };
  let isStopping = false;
  // Early requests wait for the application, which is created after the number of the port is known.
  const app = Promise.withResolvers<RequestListener>();
  const server = createHttpServer((request, response) => {
    void app.promise.then((answer) => answer(request, response));
  }, logger);
  const endConnections = watchAnswers(server);
  try {
    const { metricsAddress } = environment;
    if (metricsAddress) await openMetricsPort(metrics.render, metricsAddress);
    server.listen(environment.PORT, environment.HOST);
    await once(server, 'listening');
  } catch (error) {
    await database.close();
    throw explainListening(error as NodeJS.ErrnoException, environment);
  }
  // The demo account's tokens are revoked after the process listens, so that a failed start revokes no token.
  if (!environment.isPrivate && (await revokeDemoTokens(database.pool, new Date())) > 0) {
    logger.warn('Others reach this API: the tokens of the demo account are revoked');
  }
  const { port } = server.address() as AddressInfo;
  // Starts to load the companies for the search; if the database is unavailable, the next request tries again.
  searchIndex.isReady().catch((error: unknown) => logger.warn(error));
  const url = addressOf(environment.HOST, port);
  const baseUrl = environment.BASE_URL ?? url;
  app.resolve(
    createApp({
      ...environment,
      sample: await findSample(database.pool, environment.SAMPLE_DATA),
      db,
      gate,
      uses,
      limiter: createLimiter({ gate, readers, logger, now }),
      metrics,
      downloadPools,
      readers,
      searchIndex,
      logger,
      now,
      isStopping: () => isStopping,
      secretKey,
      baseUrl,
      payment: createPayment(environment, baseUrl),
    }),
  );

  // A second signal is ignored, since a terminal and `npm` may both send a signal.
  const stopOnce = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    endConnections();
    logger.info(`${signal}: stopping`);
    stop(server, close, logger).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stopOnce);
  process.on('SIGINT', stopOnce);
  // The process also stops when its parent process has ended, since a killed parent process sends no signal.
  process.on('disconnect', () => stopOnce('SIGHUP'));
  if (process.channel === null) stopOnce('SIGHUP');
  process.stdout.write(`Listening on ${url}\n`);
}

function addressOf(host: string, port: number): string {
  const isEvery = host === '0.0.0.0' || host === '::';
  const name = isLoopback(host) || isEvery ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

try {
  await serve(readEnvironment());
} catch (error) {
  sayAtOnce('fatal', error instanceof Error ? error.message : String(error));
  process.exit(error instanceof EnvironmentError ? 2 : 1);
}
