import { z } from 'zod';
import { queryFile } from '../../../sql/connection/database.ts';
import { countryOfNumber } from '../../../sql/country.ts';
import { signUnsubscribeToken } from '../../../sql/secrets/unsubscribe-token.ts';
import type { Letter, Piece } from '../letter.ts';
import { describeEvent, eventTypes, present } from '../../../sql/words/event-words.ts';
import { severities, type Severity, type Texts } from '../texts/texts.ts';
import { greet, type LetterOptions, pageOf, Superseded } from './options.ts';

const text = z.string();

const severity = z.enum(severities);

const digestEvent = z.object({
  /** The reference of the company; absent in a mail that an older version ordered. */
  company_ref: text.optional(),
  company_name: text.nullable(),
  primary_identifier: text.nullable(),
  identifier_type: text.nullable(),
  event_type: z.enum(eventTypes),
  severity,
  old_value: text.nullable(),
  new_value: text.nullable(),
});

type DigestEvent = z.output<typeof digestEvent>;

const severityTotal = z.object({ severity, event_count: z.int() });

type Total = z.output<typeof severityTotal>;

/** The data that a night stores for the mail about its events, the worst events first. */
const digestData = z.object({
  account_id: z.int(),
  user_name: text,
  source: text,
  event_date: z.iso.date(),
  totals: z.array(severityTotal).min(1),
  /** The events that the mail lists, not more than a mail may hold. */
  events: z.array(digestEvent).min(1),
});

export async function writeDigestLetter(options: LetterOptions, data: unknown): Promise<Letter> {
  const { account_id, user_name, source, event_date, totals, events } = digestData.parse(data);
  const { texts, baseUrl, secretKey, created_at: issued_at } = options;
  const words = texts.digest;
  const user_ref = await findReader(options, account_id);
  const token = signUnsubscribeToken(secretKey, { user_ref, issued_at });
  const unsubscribe_link = `${baseUrl}/unsubscribe?token=${token}`;
  const feed = `${baseUrl}/api/v1/watchlist/events?from_date=${event_date}&to_date=${event_date}`;
  const date = new Date(event_date);
  const bySeverity = Map.groupBy(events, (event) => event.severity);
  const shownOf = (name: Severity) => bySeverity.get(name) ?? [];
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
      { text: greet(texts, user_name) },
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

/** Returns the reference of an account. Throws `Superseded` when the account has turned the mails off since. */
async function findReader({ client }: LetterOptions, account_id: number): Promise<string> {
  type Account = { user_ref: string; is_wanted: boolean };
  const [account] = await queryFile<Account>(client, 'mail/digest_account.sql', [account_id]);
  if (!account?.is_wanted) throw new Superseded('The account has turned alerts by mail off');
  return account.user_ref;
}

/** Returns the pieces about the events of a severity, grouped by company. */
function writeSection(
  { language, texts, baseUrl }: LetterOptions,
  total: Total,
  events: readonly DigestEvent[],
): Piece[] {
  if (events.length === 0) return [];
  const companies = Map.groupBy(events, (event) =>
    JSON.stringify([
      event.company_ref,
      event.company_name,
      event.identifier_type,
      event.primary_identifier,
    ]),
  );
  const shown = events.length;
  const count = total.event_count;
  const heading = shown < count ? texts.digest.headingOfPart : texts.digest.heading;
  return [
    { heading: heading({ severity: texts.severities[total.severity](), shown, count }) },
    ...[...companies.values()].map((ofCompany) => {
      const [one] = ofCompany as [DigestEvent];
      const { company_ref, company_name, identifier_type, primary_identifier } = one;
      return {
        title: present(company_name) || texts.common.unnamedCompany(),
        note: primary_identifier
          ? `${identifier_type ?? ''} ${present(primary_identifier)}`
          : texts.common.withoutNumber(),
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

/** Returns the totals as text, such as `1 critical, 30 high`. */
function list(texts: Texts, totals: readonly Total[]): string {
  return totals
    .map((total) => texts.totals[total.severity]({ count: total.event_count }))
    .join(', ');
}
