import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { isLoopback } from '../../sql/process/environment.ts';
import { smtp } from '../figures/mail-retries.ts';
import { writeSecretFile } from '../../sql/secrets/secret-file.ts';

/** Delivers a mail. Throws `MailRefused` after a permanent rejection, or another error if a retry may succeed. */
export type Deliver = (mail: SendMailOptions) => Promise<void>;

/** The error of a mail that the SMTP server has rejected permanently, with the server's answer as its message. */
export class MailRefused extends Error {}

/**
 * Returns a function that sends a mail to an SMTP server. Because mails contain tokens, the connection requires TLS,
 * unless the server runs on this machine or its URL contains `ignoreTLS=true`.
 */
export function createSmtpDelivery(smtpUrl: string): Deliver {
  const { hostname, searchParams } = new URL(smtpUrl);
  const requireTLS = !isLoopback(hostname) && searchParams.get('ignoreTLS') !== 'true';
  const transport = createTransport({ ...smtp, requireTLS, url: smtpUrl });
  return async (mail) => {
    try {
      await transport.sendMail(mail);
    } catch (error) {
      const { message } = error as Error;
      throw isFinal(error as SmtpError) ? new MailRefused(message, { cause: error }) : error;
    }
  };
}

interface SmtpError extends Error {
  code?: string;
  /** The SMTP command that the server rejected; `API` if no command was sent. */
  command?: string;
  responseCode?: number;
}

/**
 * Returns whether a rejection is permanent. Only a rejection of the recipient or of the content is permanent. A server
 * that rejects the password or the sender rejects settings, which the operator can correct.
 */
function isFinal({ code, command, responseCode = 0 }: SmtpError): boolean {
  if (command === 'API') return code === 'EENVELOPE';
  // Code 503 reports a wrong order of commands, which a retry may correct.
  return (
    (command === 'RCPT TO' || command === 'DATA') && responseCode >= 500 && responseCode !== 503
  );
}

/** Returns the folder to which mails are written when no SMTP server is configured. */
export function mailFolder(dataDir: string): string {
  return join(dataDir, 'mail');
}

/**
 * Returns a function that writes a mail to `<folder>/<message id>.eml` for mail programs, and to a `.txt` file for
 * copying, if `SMTP_URL` is not set. Only the owner of the files can read the files, because mails may contain one-time
 * tokens. A second attempt to send a mail overwrites its files.
 */
export function createFileDelivery(folder: string): Deliver {
  const stream = { streamTransport: true, buffer: true, newline: 'windows' } as const;
  const transport = createTransport(stream);
  return async (mail) => {
    const { message, messageId } = await transport.sendMail(mail);
    const path = join(folder, messageId.replace(/^<|@.*$/g, ''));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The `.txt` file keeps long lines whole, so that a token can be copied; the `.eml` file wraps long lines.
    const text = `Subject: ${mail.subject}\n\n${mail.text as string}\n`;
    await writeSecretFile(`${path}.txt`, text, rename);
    await writeSecretFile(`${path}.eml`, message as Buffer, rename);
  };
}
