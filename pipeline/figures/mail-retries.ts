import { minute_ms } from '../../sql/process/durations.ts';

/**
 * The timeouts of an attempt to send a mail, in ms. sql/function/02_figures.sql defines the number of attempts
 * (`mail_attempts`) and the pause after each attempt (`mail_pause`).
 */
export const smtp = {
  connectionTimeout: 30_000,
  greetingTimeout: 30_000,
  dnsTimeout: 30_000,
  /** The timeout of an SMTP server's answer: RFC 5321 grants the server ten minutes to check a mail. */
  socketTimeout: 10 * minute_ms,
};
