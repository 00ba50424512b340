import { minute_ms } from '../../sql/process/durations.ts';

/**
 * The timeouts of the SMTP server, in ms. `customer.mail_attempts` is the number of attempts, `customer.mail_pause` the
 * pause after each.
 */
export const smtp = {
  connectionTimeout: 30_000,
  greetingTimeout: 30_000,
  dnsTimeout: 30_000,
  /** The longest check of a mail by a server: RFC 5321 grants ten minutes. */
  socketTimeout: 10 * minute_ms,
};
