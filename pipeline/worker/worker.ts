import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connect } from '../../sql/connection/database.ts';
import { openKysely } from '../../sql/connection/kysely.ts';
import { openPool } from '../../sql/connection/pool.ts';
import { readSecretKey } from '../../sql/secrets/secret-key.ts';
import { createAgent } from '../../sql/webhook/address.ts';
import type { Environment } from '../environment.ts';
import { webhookCall, webhooks } from '../figures/webhook-calls.ts';
import { worker as figures } from '../figures/worker-pauses.ts';
import { type FetchEnvironment, readFetchEnvironment } from '../fetch/environment.ts';
import { createOnDemandSources } from '../import/on-demand-registries.ts';
import { importDue } from '../import/ask-registries.ts';
import { sendDue } from '../mail/send-due.ts';
import { createFileDelivery, createSmtpDelivery, mailFolder } from '../mail/transport.ts';
import { whileLocked } from '../night/lock.ts';
import { repeat } from '../repeat.ts';
import { whenAborted } from '../signals.ts';
import { deliverWebhooks } from '../webhooks/deliver.ts';
import { createComplaints } from './fault-log.ts';
import { serveMetrics } from './metrics.ts';
import { applyRetention } from './retention.ts';

const now = () => new Date();

/**
 * Sends mails, imports companies, calls webhooks and deletes old rows until the signal is aborted. After the abort,
 * waits up to 20 seconds until current work has ended. Parallel workers share the work, and take over the work of a
 * killed worker. The caller must have migrated the database.
 *
 * @param settings.services the settings of the registries from which companies are imported; default: the environment
 */
export async function runWorker(
  settings: Environment & { services?: FetchEnvironment },
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const sources = await createOnDemandSources(settings.services ?? readFetchEnvironment());
  const secretKey = await readSecretKey(settings.DATA_DIR, settings.SECRET_KEY);
  // The worker opens its own pools, because a signal ends all sessions of the pool that `withDatabase` opens.
  const db = await connect({ ...settings, applicationName: 'registry-worker' });
  const { patience_ms } = figures;
  const mailPool = openPool({ ...db.connection, connectionTimeoutMillis: patience_ms });
  const webhookPool = openPool({ ...db.connection, patience_ms, max: webhooks.sessions });
  // Without a generic plan, PostgreSQL plans the feed query each time, and planning takes longer than the query.
  const setting = `set plan_cache_mode = 'force_generic_plan'`;
  webhookPool.on('connect', (client) => void client.query(setting).catch(() => undefined));
  const mail = {
    pool: mailPool,
    deliver: settings.SMTP_URL
      ? createSmtpDelivery(settings.SMTP_URL)
      : createFileDelivery(mailFolder(settings.DATA_DIR)),
    sender: settings.MAIL_FROM,
    secretKey,
    baseUrl: settings.BASE_URL,
    now,
  };
  const allowPrivate = settings.WEBHOOK_ALLOW_PRIVATE;
  const agent = createAgent({ ...webhookCall, allowPrivate });
  const webhook = { db: openKysely(webhookPool), agent, secretKey };
  const imports = { db, logger, sources, now, signal };
  const deleteOld = () =>
    whileLocked(db.pool, 'retention', 'Another worker deletes', async () => {
      const counts = await applyRetention(db.pool, settings, now());
      logger.info(counts, 'mail: done mails and one-time tokens are deleted');
    });
  const metrics = settings.metrics && (await serveMetrics(db.pool, settings.metrics, 'worker'));
  const complain = createComplaints(logger, signal);
  const { tick_ms, retention_ms } = figures;
  const ended = Promise.all([
    sendDue(mail, logger, signal, complain('Mails cannot be sent')),
    deliverWebhooks(webhook, signal, complain('Webhooks cannot be called')),
    repeat(() => importDue(imports), tick_ms, signal, complain('Companies cannot be imported')),
    repeat(deleteOld, retention_ms, signal, complain('Old rows cannot be deleted')),
  ]);
  logger.info('the worker is ready');
  const cutOff = async () => {
    await whenAborted(signal);
    await delay(figures.grace_ms, undefined, { ref: false });
    return 'cut off';
  };
  if ((await Promise.race([ended, cutOff()])) === 'cut off') {
    logger.warn('What was under way is cut off, and begun again another time');
  }
  metrics?.close().closeAllConnections();
  // The worker waits only briefly for its pools, since an unfinished mail or a lost server may block a session.
  const closed = Promise.all([mailPool.end(), webhookPool.end()]).then(() => db.close());
  await Promise.race([closed, delay(figures.closing_ms, undefined, { ref: false })]);
}
