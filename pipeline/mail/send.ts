import type { ClientBase, Pool } from 'pg';
import { inSession, queryFile, runFile } from '../../sql/connection/database.ts';
import { address, type Addressed, type Sender } from './headers.ts';
import { isPresentable, type Letter, type LetterOptions, Superseded } from './letter.ts';
import { writeInitLetter, writeRecoveredLetter, writeRecoverLetter } from './letters/account.ts';
import { writeDigestLetter } from './letters/digest.ts';
import { writeImportLetter } from './letters/import.ts';
import { writeRefundLetter } from './letters/refund.ts';
import { writeWebhookLetter } from './letters/webhook.ts';
import { texts } from './texts/texts.ts';
import { type Deliver, MailRefused } from './transport.ts';

/** Matches one address without quotes, comments or groups, since such a text could name several addresses. */
const plainAddress = /^[^\s\p{C}@<>()[\]\\,;:"]+@[^\s\p{C}@<>()[\]\\,;:"]+$/u;

interface Mail extends Addressed {
  template: string;
  data: { user_name?: string };
  last_error: string | null;
  /** The number of attempts left after this one; negative if a worker was killed during the last attempt. */
  attempts_left: number;
}

type Write = (options: LetterOptions, data: never) => Letter | Promise<Letter>;

/** The functions that write the mails, by the column `template` of `customer.mail`. */
const templates: Record<string, Write> = {
  init: writeInitLetter,
  recover: writeRecoverLetter,
  recovered: writeRecoveredLetter,
  refund: writeRefundLetter,
  import: writeImportLetter,
  digest: writeDigestLetter,
  webhook: writeWebhookLetter,
};

export interface SendOptions extends Pick<LetterOptions, 'secretKey' | 'baseUrl'> {
  pool: Pool;
  deliver: Deliver;
  sender: Sender;
  now: () => Date;
}

interface Sending {
  state: 'sent' | 'ended before' | 'queued' | 'failed' | 'dropped';
  /** The reason why this attempt did not send the mail. */
  reason?: string;
}

/**
 * Sends one mail, if the mail is still queued. The mail is locked until the outcome of the attempt is saved. A mail is
 * sent twice only if the process or its session is lost before the outcome is saved; both mails have the same
 * Message-ID, by which a mail server recognizes the duplicate. A mail fails when its last attempt fails.
 */
export async function sendMail(options: SendOptions, mail_id: number): Promise<Sending> {
  // After an error, `inSession` ends the session, which releases the lock of the mail.
  return inSession(options.pool, async (client) => {
    await client.query('begin');
    // A lost machine's lock ends after 20 minutes, which is longer than the ten minutes that an SMTP server may take.
    await client.query(`set local idle_in_transaction_session_timeout = '20min'`);
    const [mail] = await queryFile<Mail>(client, 'mail/take_mail.sql', [mail_id]);
    let sending: Sending = { state: 'ended before' };
    if (mail) {
      sending = await attempt(options, client, mail);
      if (sending.state === 'queued' && mail.attempts_left <= 0) sending.state = 'failed';
      const end = [mail_id, sending.state, sending.reason, options.now()];
      await runFile(client, 'mail/end_attempt.sql', end);
    }
    await client.query('commit');
    return sending;
  });
}

async function attempt(
  { deliver, sender, secretKey, baseUrl, now }: SendOptions,
  client: ClientBase,
  mail: Mail,
): Promise<Sending> {
  try {
    if (mail.attempts_left < 0) {
      throw new MailRefused(mail.last_error ?? 'The worker was ended in the middle each time');
    }
    if (!plainAddress.test(mail.recipient)) throw new MailRefused('The address is not an address');
    const { created_at, language, data } = mail;
    const reader = { language, texts: texts[language] };
    const options = { client, secretKey, baseUrl, created_at, now: now(), ...reader };
    const write = templates[mail.template];
    if (!write) throw new Error(`There is no template '${mail.template}'`);
    const letter = await write(options, data as never);
    const { user_name = '' } = data;
    // The mail omits a name that looks like a link. Mails that may reach a stranger have no `user_name`.
    const name = isPresentable(user_name) ? user_name : '';
    const { common } = reader.texts;
    const text = name === '' ? common.greeting() : common.greetingOf({ name });
    const links = [{ link: `${baseUrl}/privacy`, label: common.privacyLabel() }];
    const pieces = [{ text }, ...letter.pieces, { footnote: common.privacy(), links }];
    await deliver(address(mail, name, { ...letter, pieces }, sender));
    return { state: 'sent' };
  } catch (error) {
    const reason = describe(error);
    if (error instanceof Superseded) return { state: 'dropped', reason };
    return { state: error instanceof MailRefused ? 'failed' : 'queued', reason };
  }
}

/** Returns an error's message as one line of at most 500 characters, since an SMTP server's answer may be long. */
function describe(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  const text = (message || code || String(error)).replace(/[\p{C}\s]+/gu, ' ').trim();
  return text.slice(0, 500);
}
