/** The limits of the texts that commands such as `registry status` print. */
export const shown = {
  /** The number of days for which `registry status` shows failed mails and failed imports of companies. */
  failureDays: 7,
  /** The maximum length of a message in a list of runs, in characters. */
  messageLength: 90,
  /** The maximum number of event types that the text about a run lists. */
  eventTypes: 10,
  /** The maximum number of files or fields that the sentence about a guard's findings names. */
  named: 3,
};
