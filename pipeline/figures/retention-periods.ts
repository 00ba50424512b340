/** The periods until data is deleted or loses its text, in days. `INBOX_DAYS` of the inbox has no default. */
export const retention = {
  /** The days until sent mails and used one-time tokens are deleted. */
  MAIL_DAYS: 30,
  /** The days until rejected rows lose their text. */
  REJECT_DAYS: 90,
  /** The days until the IP addresses from which tokens were used are deleted. */
  IP_DAYS: 90,
  /** The days until the ledgers of ended accounts are deleted. */
  LEDGER_DAYS: 2190,
};

/** The days until deliveries of webhooks are deleted. */
export const webhookDelivery_days = 30;

/** The most rows of a kind that one transaction of the retention changes. */
export const retainedRows = 10_000;
