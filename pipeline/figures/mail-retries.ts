import { minute_ms } from '../../sql/process/durations.ts';

/**
 * The timeouts of an attempt to send a mail, in ms. sql/function/02_figures.sql has the number of attempts
 * (`mail_attempts`) and the pause after each (`mail_pause`).
 */
export const smtp = {
  connectionTimeout: 30_000,
  greetingTimeout: 30_000,
  dnsTimeout: 30_000,
  /** The longest check of a mail by a server: RFC 5321 grants ten minutes. */
  socketTimeout: 10 * minute_ms,
};
