import { queryFile } from '../../../sql/connection/database.ts';
import { countryOfNumber } from '../../../sql/country.ts';
import { signUnsubscribeToken } from '../../../sql/secrets/unsubscribe-token.ts';
import { describeEvent, present } from '../../../sql/words/event-words.ts';
import {
  type Letter,
  type LetterOptions,
  pageOf,
  type Piece,
  Superseded,
  withReference,
} from '../letter.ts';
import type { Severity, Texts } from '../texts/texts.ts';

// Writes the content of the digest, the mail about a night's events. `describeEvent` writes the line of each event.
// `../letter.ts` makes plain text of the content, and `../letter.eta` makes HTML. The texts of the digest are in
// ../texts/en/digest.json and ../texts/pl/digest.json. sql/nightly/6_notify/alert_digests.sql orders the events.

interface DigestEvent {
  company_ref: string | null;
  company_name: string | null;
  primary_identifier: string | null;
  identifier_type: string | null;
  /** The client's own reference of the company; absent in mails that version 2.0 of the service queued. */
  reference?: string | null;
  event_type: string;
  severity: Severity;
  old_value: string | null;
  new_value: string | null;
}

type Total = { severity: Severity; event_count: number };

/** The data that a night stores in `customer.mail` for the digest, with the most severe events first. */
interface DigestData {
  account_id: number;
  source: string;
  event_date: string;
  totals: Total[];
  /** The most severe events; at most `customer.digest_events()` (sql/function/02_figures.sql) events. */
  events: DigestEvent[];
}

/** Writes the digest of an account. Throws `Superseded` when the account has since turned off alerts by mail. */
export async function writeDigestLetter(options: LetterOptions, data: DigestData): Promise<Letter> {
  const { account_id, source, event_date, totals, events } = data;
  const { client, texts, baseUrl, secretKey, created_at: issued_at } = options;
  const words = texts.digest;
  type Account = { user_ref: string; is_wanted: boolean };
  const [account] = await queryFile<Account>(client, 'mail/is_digest_wanted.sql', [account_id]);
  if (!account?.is_wanted) throw new Superseded('The account has turned alerts by mail off');
  const { user_ref } = account;
  const token = signUnsubscribeToken(secretKey, { user_ref, issued_at });
  const unsubscribe_link = `${baseUrl}/unsubscribe?token=${token}`;
  const feed = `${baseUrl}/api/v1/watchlist/events?from_date=${event_date}&to_date=${event_date}`;
  const date = new Date(event_date);
  const shownOf = (name: Severity) => events.filter(({ severity }) => severity === name);
  const rest = totals
    .map((total) => ({ ...total, event_count: total.event_count - shownOf(total.severity).length }))
    .filter(({ event_count }) => event_count > 0);
  const changes = sum(totals);
  const intro = words.intro({
    source: source.toUpperCase(),
    date,
    changes,
    totals: list(texts, totals),
    shown: events.length,
    rest: sum(rest),
  });
  return {
    subject: words.subject({ date, changes, worst: list(texts, totals.slice(0, 1)) }),
    pieces: [
      { text: intro },
      ...totals.flatMap((total) => writeSection(options, total, shownOf(total.severity))),
      ...(rest.length === 0
        ? []
        : [
            { heading: words.moreHeading({ count: sum(rest) }) },
            { text: words.more({ totals: list(texts, rest) }) },
            { code: `GET ${feed}` },
          ]),
      {
        footnote: words.footnote(),
        links: [
          { link: `${baseUrl}/console#alerts`, label: words.settings() },
          { link: unsubscribe_link, label: words.stop() },
        ],
      },
    ],
    unsubscribe_link,
  };
}

/** Returns the section of the digest about the events of one severity, grouped by company. */
function writeSection(
  { language, texts, baseUrl }: LetterOptions,
  total: Total,
  events: readonly DigestEvent[],
): Piece[] {
  if (events.length === 0) return [];
  const companies = Map.groupBy(events, ({ company_ref }) => company_ref);
  const shown = events.length;
  const count = total.event_count;
  const heading = shown < count ? texts.digest.headingOfPart : texts.digest.heading;
  return [
    { heading: heading({ severity: texts.severities[total.severity](), shown, count }) },
    ...[...companies.values()].map((ofCompany) => {
      const [one] = ofCompany as [DigestEvent];
      const { company_ref, company_name, identifier_type, primary_identifier } = one;
      const number = primary_identifier
        ? `${identifier_type ?? ''} ${present(primary_identifier)}`
        : texts.common.withoutNumber();
      return {
        title: present(company_name) || texts.common.unnamedCompany(),
        note: withReference(number, one.reference),
        page: pageOf(baseUrl, company_ref),
        lines: ofCompany.map((event) =>
          describeEvent(language, event, countryOfNumber(identifier_type)),
        ),
      };
    }),
  ];
}

function sum(totals: readonly Total[]): number {
  return totals.reduce((count, { event_count }) => count + event_count, 0);
}

/** Returns the number of events of each severity as text, such as `1 critical, 30 high`. */
function list(texts: Texts, totals: readonly Total[]): string {
  return totals
    .map((total) => texts.totals[total.severity]({ count: total.event_count }))
    .join(', ');
}
