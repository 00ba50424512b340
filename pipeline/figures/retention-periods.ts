/** The default retention periods, in days. `INBOX_DAYS`, the period of dumps in the inbox, has no default. */
export const retention = {
  /** The number of days until ended mails (sent, failed or dropped) and expired one-time tokens are deleted. */
  MAIL_DAYS: 30,
  /** The number of days until the text of rejected rows is deleted. */
  REJECT_DAYS: 90,
  /** The number of days until the IP addresses from which tokens were used are deleted. */
  IP_DAYS: 90,
  /** The number of days until the credit ledgers of closed accounts are deleted. */
  LEDGER_DAYS: 2190,
};

/** The number of days until the records of webhook calls (`customer.webhook_delivery`) are deleted. */
export const webhookDelivery_days = 30;

/** The maximum number of rows of each kind that one transaction of the retention changes. */
export const retainedRows = 10_000;
