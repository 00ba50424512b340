import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { isLoopback } from '../../sql/process/environment.ts';
import { smtp } from '../figures/mail-retries.ts';
import { writeSecretFile } from '../../sql/secrets/secret-file.ts';

/** Delivers one mail. Throws a `MailRefused` when the server will never take the mail, else any other error. */
export type Deliver = (mail: SendMailOptions) => Promise<void>;

/** The error of a mail that the recipient's server will never take; the message is the server's answer. */
export class MailRefused extends Error {}

/**
 * Returns the delivery to an SMTP server. Mails contain tokens, so a server without TLS has to run on this
 * machine, or its URL has `ignoreTLS=true`.
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
  /** The SMTP command that was answered; `API`: no command was sent. */
  command?: string;
  responseCode?: number;
}

/**
 * Returns whether an answer is final: only answers to the recipient or to the text are about the mail. Any other
 * refusal, such as of our password or of the sender, is about the settings, which the operator can correct.
 */
function isFinal({ code, command, responseCode = 0 }: SmtpError): boolean {
  if (command === 'API') return code === 'EENVELOPE';
  // Code 503 means that the commands came in the wrong order, which is no fault of the mail.
  return (
    (command === 'RCPT TO' || command === 'DATA') && responseCode >= 500 && responseCode !== 503
  );
}

/** Returns the folder of mails that are written without an SMTP server. */
export function mailFolder(dataDir: string): string {
  return join(dataDir, 'mail');
}

/**
 * Returns the delivery to files, `<folder>/<message id>.eml` for mail programs and `.txt` to copy from. Only the owner
 * of the files can read them: a mail may hold a one-time token. Another attempt writes the same files.
 */
export function createFileDelivery(folder: string): Deliver {
  const stream = { streamTransport: true, buffer: true, newline: 'windows' } as const;
  const transport = createTransport(stream);
  return async (mail) => {
    const { message, messageId } = await transport.sendMail(mail);
    const path = join(folder, messageId.replace(/^<|@.*$/g, ''));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The .txt has whole lines, while the .eml breaks long ones.
    const text = `Subject: ${mail.subject}\n\n${mail.text as string}\n`;
    await writeSecretFile(`${path}.txt`, text, rename);
    await writeSecretFile(`${path}.eml`, message as Buffer, rename);
  };
}
