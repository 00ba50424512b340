import type { Logger } from 'pino';
import { queryFile } from '../../sql/connection/database.ts';
import { worker as figures } from '../figures/worker-pauses.ts';
import { workInLanes } from '../repeat.ts';
import { sendMail, type SendOptions } from './send.ts';

interface ClaimedMail {
  mail_id: number;
  /** The number of the current attempt to send the mail, counted from 1. */
  attempt: number;
}

/**
 * Sends due mails until the signal is aborted, then waits until the current attempts have ended. Parallel workers share
 * the mails: a worker claims a mail until the time of the mail's next attempt, and locks the mail during an attempt.
 */
export function sendDue(
  options: SendOptions,
  logger: Logger,
  signal: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  const claim = (free: number) => queryFile<ClaimedMail>(options.pool, 'mail/claim.sql', [free]);
  const send = async (claimed: ClaimedMail) => {
    const log = logger.child(claimed);
    const sending = await sendMail(options, claimed.mail_id);
    if (sending.state === 'failed') log.error(sending, 'mail: failed');
    else if (sending.state === 'queued') log.warn(sending, 'mail: waits for another attempt');
    else log.info(sending, `mail: ${sending.state}`);
  };
  return workInLanes(figures.mails, claim, send, signal, onFault);
}
