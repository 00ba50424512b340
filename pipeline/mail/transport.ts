import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { isLoopback } from '../../sql/process/environment.ts';
import { smtp } from '../figures.ts';
import { writeSecretFile } from '../../sql/secrets/secret-file.ts';

const limits = {
  ...smtp,
  // A letter refers to nothing that would have to be fetched.
  disableFileAccess: true,
  disableUrlAccess: true,
};

/** Delivers one mail. Throws a `MailRefused` when the server will never take it, else any other error. */
export type Deliver = (mail: SendMailOptions) => Promise<void>;

/** The server of the recipient will never take this mail; the message is its answer. */
export class MailRefused extends Error {}

/** Mails hold tokens: in clear they go only to this machine, or where a parameter of the address says so. */
export function createSmtpDelivery(smtpUrl: string): Deliver {
  const { hostname, searchParams } = new URL(smtpUrl);
  const requireTLS = !isLoopback(hostname) && searchParams.get('ignoreTLS') !== 'true';
  const transport = createTransport({ ...limits, requireTLS, url: smtpUrl });
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
  /** The SMTP command that was answered; `API`: none was sent. */
  command?: string;
  responseCode?: number;
}

/**
 * Only what the server says of this recipient or of this text is about the mail. Any other refusal,
 * such as of our password or of the sender, is about the settings, which the operator can correct.
 */
function isFinal({ code, command, responseCode = 0 }: SmtpError): boolean {
  if (command === 'API') return code === 'EENVELOPE';
  // 503 says that the commands came in the wrong order, which is none of the mail's doing.
  return (
    (command === 'RCPT TO' || command === 'DATA') && responseCode >= 500 && responseCode !== 503
  );
}

/** The folder of mails without an SMTP server. */
export function mailFolder(dataDir: string): string {
  return join(dataDir, 'mail');
}

/**
 * Writes each mail to files, `<folder>/<message id>.eml` for mail programs and `.txt` to copy from. Only
 * their owner can read them: they may hold a one-time token. Another attempt writes the same files.
 */
export function createFileDelivery(folder: string): Deliver {
  const transport = createTransport({
    ...limits,
    streamTransport: true,
    buffer: true,
    newline: 'windows',
  });
  return async (mail) => {
    const { message, messageId } = await transport.sendMail(mail);
    const path = join(folder, messageId.replace(/^<|@.*$/g, ''));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // In the .eml the lines are broken wherever they are long.
    const text = `Subject: ${mail.subject}\n\n${mail.text as string}\n`;
    await writeSecretFile(`${path}.txt`, text, rename);
    await writeSecretFile(`${path}.eml`, message as Buffer, rename);
  };
}
