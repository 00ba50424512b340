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

/** Matches one address. A text with quotes, lists, comments or groups does not match: it could mean several. */
const plainAddress = /^[^\s\p{C}@<>()[\]\\,;:"]+@[^\s\p{C}@<>()[\]\\,;:"]+$/u;

interface Mail extends Addressed {
  template: string;
  data: { user_name?: string };
  last_error: string | null;
  /** The number of attempts after this one; negative when the last attempt was begun and never ended. */
  attempts_left: number;
}

type Write = (options: LetterOptions, data: never) => Letter | Promise<Letter>;

/** The writers of the mails that the API and the pipeline order, by the template in `customer.mail`. */
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
  /** The reason why the mail was not sent. */
  reason?: string;
}

/**
 * Sends one mail, if it is still queued. The mail is locked until its outcome is saved. It goes out twice only
 * when this process, or its session, is lost in between. The reader's server then recognizes the mail by its
 * Message-ID. A mail that cannot be sent at its last attempt has failed.
 */
export async function sendMail(options: SendOptions, mail_id: number): Promise<Sending> {
  // The end of the session, also by an error, releases the lock of the mail.
  return inSession(options.pool, async (client) => {
    await client.query('begin');
    // The timeout bounds the lock of a lost machine; the SMTP server alone may take ten minutes.
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
    // A name that could mislead is left out. A mail that may reach a stranger does not contain the name of the account.
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

/** Returns the reason of an error in one line of at most 500 characters, since servers may answer anything. */
function describe(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  const text = (message || code || String(error)).replace(/[\p{C}\s]+/gu, ' ').trim();
  return text.slice(0, 500);
}
