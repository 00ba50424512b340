import type { SendMailOptions } from 'nodemailer';
import type { Language } from '../../sql/words/message-format.ts';
import { type Letter, writeHtml, writeText } from './letter.ts';

/** The sender of all mails, from the setting `MAIL_FROM` of ../environment.ts. */
export interface Sender {
  name: string;
  address: string;
}

/** The columns of `customer.mail` that determine the headers of a mail. */
export interface Addressed {
  message_id: string;
  recipient: string;
  created_at: Date;
  language: Language;
}

/** Returns the complete mail, which has the same bytes at each attempt to send it. */
export function address(
  mail: Addressed,
  name: string,
  letter: Letter,
  sender: Sender,
): SendMailOptions {
  const { unsubscribe_link: link } = letter;
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
  return {
    from: sender,
    to: { name, address: mail.recipient },
    // The SMTP envelope is given, so that nodemailer does not take the recipient from the header `To`.
    envelope: { from: sender.address, to: mail.recipient },
    subject: letter.subject,
    text: writeText(letter),
    html: writeHtml(letter, mail.language),
    date: mail.created_at,
    messageId: `<${mail.message_id}@${domain}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(link !== undefined && { 'List-Unsubscribe': `<${link}>` }),
      // `List-Unsubscribe-Post` lets mail programs unsubscribe by one POST request (RFC 8058), which requires https.
      ...(link?.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    baseBoundary: mail.message_id,
  };
}
