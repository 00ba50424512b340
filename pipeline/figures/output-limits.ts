/** The limits of the output of commands. */
export const shown = {
  /** The days for which failed mails and failed companies are shown. */
  failureDays: 7,
  /** The maximum length of a message in a list of runs, in characters. */
  messageLength: 90,
  /** The most event types that the text about a run lists. */
  eventTypes: 10,
  /** The most files or fields that the sentence of a guard names. */
  named: 3,
};
