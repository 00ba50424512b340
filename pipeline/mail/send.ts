import type { SendMailOptions } from 'nodemailer';
import type pg from 'pg';
import { runFile } from '../../sql/database.ts';
import { writeDigestLetter } from './digest-letter.ts';
import { writeImportLetter } from './import-letter.ts';
import { type Letter, writeHtml, writeText } from './letter.ts';
import {
  isPresentable,
  type LetterOptions,
  Superseded,
  writeInitLetter,
  writeRecoverLetter,
} from './token-letters.ts';
import { type Deliver, MailRefused } from './transport.ts';

const MAX_REASON_LENGTH = 500;

/** No quotes, lists, comments or groups: nothing that could mean more than one address. */
const plainAddress = /^[^\s\p{C}@<>()[\]\\,;:"]+@[^\s\p{C}@<>()[\]\\,;:"]+$/u;

/** A mail as it is taken from its table. */
interface Mail {
  mail_id: string;
  message_id: string;
  recipient: string;
  template: string;
  data: unknown;
  created_at: Date;
}

/** Each kind of mail that the API and the pipeline leave in `customer.mail`. */
const templates = new Map<string, (options: LetterOptions, data: unknown) => Promise<Letter>>([
  ['init', writeInitLetter],
  ['recover', writeRecoverLetter],
  ['import', writeImportLetter],
  ['digest', writeDigestLetter],
]);

/** The address that mails come from. */
export interface Sender {
  name: string;
  address: string;
}

export interface SendOptions {
  pool: pg.Pool;
  deliver: Deliver;
  sender: Sender;
  secretKey: string;
  baseUrl: string;
  now: () => Date;
}

/** What has become of a mail. */
export type Sending =
  { state: 'sent' | 'ended before' } | { state: 'queued' | 'failed' | 'dropped'; reason: string };

/**
 * Sends one mail, if it has not been sent yet: it is locked from before it is given away until it is
 * marked, so that it goes out twice only when this process, or its session, is lost between the two.
 * The reader's server then knows it by its Message-ID.
 *
 * @param isLastAttempt whether a mail that cannot be sent now has failed
 */
export async function sendMail(
  options: SendOptions,
  mail_id: number,
  isLastAttempt: boolean,
): Promise<Sending> {
  const client = await options.pool.connect();
  let fault: Error | undefined;
  try {
    await client.query('begin');
    // The server may take its time; that of a machine that is lost must not last for ever.
    await client.query(`set local idle_in_transaction_session_timeout = '20min'`);
    const [taken] = await runFile(client, 'mail/take_mail.sql', [mail_id]);
    const mail = taken!.rows[0] as Mail | undefined;
    const sending = mail
      ? await attempt(options, client, mail)
      : { state: 'ended before' as const };
    if (sending.state === 'queued' && isLastAttempt) sending.state = 'failed';
    if (mail) await endAttempt(client, mail_id, sending, options.now());
    await client.query('commit');
    return sending;
  } catch (error) {
    fault = error as Error;
    throw error;
  } finally {
    // The end of the session gives the mail back.
    client.release(fault);
  }
}

async function attempt(
  { deliver, sender, secretKey, baseUrl, now }: SendOptions,
  client: pg.ClientBase,
  mail: Mail,
): Promise<Exclude<Sending, { state: 'ended before' }>> {
  try {
    const write = templates.get(mail.template);
    if (!write) throw new Error(`There is no template '${mail.template}'`);
    if (!plainAddress.test(mail.recipient)) throw new MailRefused('The address is not an address');
    const letter = await write({ client, secretKey, baseUrl, now: now() }, mail.data);
    await deliver(address(mail, letter, sender));
    return { state: 'sent' };
  } catch (error) {
    const reason = describe(error);
    if (error instanceof Superseded) return { state: 'dropped', reason };
    return { state: error instanceof MailRefused ? 'failed' : 'queued', reason };
  }
}

/** The whole mail: the same at each attempt, to the byte. */
function address(mail: Mail, letter: Letter, sender: Sender): SendMailOptions {
  const name = nameOf(mail.data);
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
  return {
    from: sender,
    to: { name, address: mail.recipient },
    // Who gets it is not read from the header.
    envelope: { from: sender.address, to: mail.recipient },
    subject: letter.subject,
    text: writeText(letter),
    html: writeHtml(letter),
    date: mail.created_at,
    messageId: `<${mail.message_id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', ...offerUnsubscribing(letter) },
    baseBoundary: mail.message_id,
  };
}

/** One press of the mail program's own button is enough (RFC 8058), which asks for TLS. */
function offerUnsubscribing({ unsubscribe_link: link }: Letter): Record<string, string> {
  if (link === undefined) return {};
  return {
    'List-Unsubscribe': `<${link}>`,
    ...(link.startsWith('https:') ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
  };
}

/** What the reader is called in the header: nothing, where that could mislead. */
function nameOf(data: unknown): string {
  const name = (data as { user_name?: unknown } | null)?.user_name;
  return typeof name === 'string' && isPresentable(name) ? name : '';
}

/** One line for people; servers may answer anything. */
function describe(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  const text = (message || code || String(error)).replace(/[\p{C}\s]+/gu, ' ').trim();
  return text.slice(0, MAX_REASON_LENGTH);
}

async function endAttempt(
  client: pg.ClientBase,
  mail_id: number,
  sending: Sending,
  now: Date,
): Promise<void> {
  const reason = 'reason' in sending ? sending.reason : null;
  await runFile(client, 'mail/end_attempt.sql', [mail_id, sending.state, reason, now]);
}
