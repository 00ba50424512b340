import { capitalize, changed, type EventText, formatsOf, named, type Values } from './values.ts';

const formats = formatsOf('en-GB');
const { number } = formats;
const plural = (count: number, one: string, many: string) =>
  `${number(count)} ${count === 1 ? one : many}`;

const on = (date: string | null) => (date === null ? '' : ` on ${date}`);
const since = (date: string | null) => (date === null ? '' : `; they had begun on ${date}`);
const added = (what: string): EventText => named(`${what} was added`);
const removed = (what: string): EventText => named(`${what} was removed`);
const statuses: Record<string, string> = { ACTIVE: 'active', SUSPENDED: 'suspended' };

/** What happened, an event type each; values are as `describeEvent` prepares them. */
const events = {
  ANOMALY_REGON_CHANGE: (values: Values) =>
    values.after === null
      ? named('The REGON number is gone')(values)
      : changed('The REGON number changed')(values),
  COMPANY_ACTIVITIES_RECLASSIFIED: changed(
    'Activity codes moved between PKD 2007 and PKD 2025 as the official key explains',
  ),
  COMPANY_ACTIVITY_ADDED: added('An activity code'),
  COMPANY_ACTIVITY_REMOVED: removed('An activity code'),
  COMPANY_ADDRESS_ADDED: added('A registered address'),
  COMPANY_ADDRESS_CHANGED: changed('The registered address changed'),
  COMPANY_ADDRESS_REMOVED: removed('The registered address'),
  COMPANY_BANKRUPTCY_ENDED: ({ before, after }: Values) =>
    `The bankruptcy proceedings ended${on(after)}${since(before)}`,
  COMPANY_BANKRUPTCY_STARTED: ({ after }: Values) => `Bankruptcy was declared${on(after)}`,
  COMPANY_CLOSED_DATE: ({ before, after }: Values) =>
    before === null || after === null
      ? named('A closing date was entered')({ before, after })
      : `The closing date moved from ${before} to ${after}`,
  COMPANY_EMAIL_ADDED: added('An e-mail address'),
  COMPANY_EMAIL_CHANGED: changed('The e-mail address changed'),
  COMPANY_EMAIL_REMOVED: removed('The e-mail address'),
  COMPANY_ENTITY_TYPE_CHANGED: changed('The entity type changed'),
  COMPANY_FAX_ADDED: added('A fax number'),
  COMPANY_FAX_CHANGED: changed('The fax number changed'),
  COMPANY_FAX_REMOVED: removed('The fax number'),
  COMPANY_LEGAL_FORM_CHANGED: changed('The legal form changed'),
  COMPANY_MAIN_ACTIVITY_CHANGED: changed('The main activity code changed'),
  COMPANY_NAME_CHANGED: changed('The name changed'),
  COMPANY_OWNER_CHANGED: changed('The owner or the partners of a civil partnership changed'),
  COMPANY_PHONE_ADDED: added('A phone number'),
  COMPANY_PHONE_CHANGED: changed('The phone number changed'),
  COMPANY_PHONE_REMOVED: removed('The phone number'),
  COMPANY_REGISTERED: named('The company entered the registry'),
  COMPANY_REGISTRY_NUMBER_ASSIGNED: named('A KRS number was assigned'),
  COMPANY_REGISTRY_NUMBER_CHANGED: changed('The KRS number was replaced by another'),
  COMPANY_REGON_ASSIGNED: named('A REGON number was assigned'),
  COMPANY_REOPENED: ({ before }: Values) =>
    `The entry is back in the registry${before === null ? '' : `; its end on ${before} no longer holds`}`,
  COMPANY_REPRESENTATION_CHANGED: changed(
    'The persons who represent the company, or their roles, changed',
  ),
  COMPANY_RESTRUCTURING_ENDED: ({ before, after }: Values) =>
    `The restructuring proceedings ended${on(after)}${since(before)}`,
  COMPANY_RESTRUCTURING_STARTED: ({ after }: Values) =>
    `Restructuring proceedings were opened${on(after)}`,
  COMPANY_RESUMED: ({ before, after }: Values) =>
    `The activity was resumed${on(after)}${before === null ? '' : `; it had been suspended on ${before}`}`,
  COMPANY_SHAREHOLDERS_CHANGED: changed('The shareholders changed'),
  COMPANY_START_DATE_CHANGE: changed('The start date of the activity changed'),
  COMPANY_STRUCK_OFF: ({ before, after }: Values) => {
    const status = statuses[before ?? ''];
    return `The entry was struck off the registry${on(after)}${status ? `; it was ${status} until then` : ''}`;
  },
  COMPANY_SUSPENDED: ({ after }: Values) => `The activity was suspended${on(after)}`,
  COMPANY_TAX_IDENTITY_ASSIGNED: named('A NIP was assigned'),
  COMPANY_TAX_IDENTITY_CHANGED: changed('The NIP was replaced by another'),
  COMPANY_TAX_IDENTITY_REVOKED: named('The NIP is gone or was revoked'),
  COMPANY_UNIT_CHANGED: changed('The name or address of a local unit changed'),
  COMPANY_UNIT_CLOSED: named('A local unit was closed'),
  COMPANY_UNIT_OPENED: named('A local unit was opened'),
  COMPANY_WEBSITE_ADDED: added('A website'),
  COMPANY_WEBSITE_CHANGED: changed('The website changed'),
  COMPANY_WEBSITE_REMOVED: removed('The website'),
};

const severities = {
  critical: 'critical',
  error: 'error',
  high: 'high',
  warning: 'warning',
  notice: 'notice',
  info: 'info',
};

/** The English texts of mails. The texts of every other language have the same shape. */
export const en = {
  greeting: 'Hello,',
  greetingOf: (name: string) => `Hello ${name},`,
  ...formats,
  unnamedCompany: 'A company without a name',
  withoutNumber: 'without a number',
  events,
  init: {
    subject: 'Your one-time token for the Company Registry API',
    task: (until: string) =>
      `Your account of the Company Registry API is registered. One step is left: exchange this one-time token for your Master Token. It works once, until ${until}.`,
    example: 'For example with curl:',
    outcome: 'The answer shows your Master Token, once: keep it where you keep your passwords.',
    ignore:
      'If you have not registered, ignore this mail: without the token above nothing happens.',
  },
  recover: {
    subject: 'Recover your Company Registry API account',
    task: (until: string) =>
      `Somebody, hopefully you, has asked to recover your account of the Company Registry API. Open this page to confirm it; the link works once, until ${until}.`,
    confirm: 'Confirm the recovery',
    outcome:
      'The page asks for the new password that was chosen with the request. It then shows a new Master Token, and every token you have now stops working.',
    ignore:
      'If you have not asked for this, ignore this mail: as long as nobody confirms it, your password and your tokens stay as they are.',
  },
  recovered: {
    subject: 'Your Company Registry API account was recovered',
    done: (at: string) =>
      `Your account of the Company Registry API was recovered on ${at}. It has a new password and a new Master Token; all earlier tokens are revoked.`,
    alarm:
      'If this was not you, somebody reads your mail: change the password of your mailbox first, then recover the account again with this request.',
  },
  refund: {
    subject: (credits: string) => `${credits} credits were taken back`,
    cause: {
      refund: (product: string) => `Your payment for ${product} was refunded.`,
      dispute: (product: string) => `Your payment for ${product} was disputed with your bank.`,
    },
    outcome: (credits: number, balance: number) =>
      `${plural(credits, 'credit was', 'credits were')} taken back from your wallet, which now has ${number(balance)}.`,
    rest: (credits: number) =>
      `The payment had bought ${plural(credits, 'credit', 'credits')} more, which you have used. Your balance does not go below zero.`,
  },
  import: {
    ready: (count: number) => `${number(count)} ready`,
    failed: (count: number) => `${number(count)} failed`,
    subject: (outcomes: string) => `Your watch list: ${outcomes}`,
    intro: (at: string, count: number) =>
      `On ${at}, you submitted ${plural(count, 'company', 'companies')} to your watch list. This is what became of ${count === 1 ? 'it' : 'them'}.`,
    removed: (count: number) => ` ${number(count)} you have removed meanwhile.`,
    readyHeading: (count: number) => `Ready: ${number(count)}`,
    readyHint: 'Their events come into your feed from now on: GET /watchlist/events.',
    failedHeading: (count: number) => `Failed: ${number(count)}`,
    reason: (sentence: string) => sentence,
    failedHint: 'Submit a number again to have it imported anew.',
  },
  digest: {
    severities,
    subject: (date: string, changes: number, worst: string) =>
      `${date}: ${plural(changes, 'change', 'changes')} at companies you watch, ${worst}`,
    intro: (source: string, date: string, changes: number, totals: string) =>
      `${source} of ${date} brings ${plural(changes, 'change', 'changes')} at companies that you watch: ${totals}.`,
    worstFirst: ' The worst come first.',
    worstOnly: (count: number) => ` The worst ${number(count)} follow.`,
    total: (severity: keyof typeof severities, count: number) =>
      `${number(count)} ${severities[severity]}`,
    heading: (severity: keyof typeof severities, count: string) =>
      `${capitalize(severities[severity])}: ${count}`,
    part: (shown: number, all: number) => `${number(shown)} of ${number(all)}`,
    moreHeading: (count: number) => `And ${number(count)} more`,
    more: (totals: string) => `${totals}. The feed of your watch list has them all:`,
    footnote:
      'You get this mail because alerts by e-mail are turned on for your account. PATCH /watchlist/alerts sets which events you are told of.',
    stop: 'Stop these mails',
  },
};

export type Texts = typeof en;
export type EventType = keyof typeof events;
export type Severity = keyof typeof severities;
