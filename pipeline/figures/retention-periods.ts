/** The default retention periods, in days. `INBOX_DAYS`, the period of dumps in the inbox, has no default. */
export const retention = {
  /** The number of days after which ended mails (sent, failed or dropped) and expired one-time tokens are deleted. */
  MAIL_DAYS: 30,
  /** The number of days after which the texts of the rejected rows of a run are deleted. */
  REJECT_DAYS: 90,
  /** The number of days after which the IP address of the last request with a token is deleted. */
  IP_DAYS: 90,
  /** The number of days after its closing at which the credit ledger of an account is deleted. */
  LEDGER_DAYS: 2190,
};

/** The days after which records of webhook calls are deleted; webhook-calls.ts limits their count and their text. */
export const webhookDelivery_days = 30;

/** The maximum number of rows of each table that one transaction of the retention deletes or changes. */
export const retainedRows = 10_000;
