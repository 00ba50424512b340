import { z } from 'zod';
import { queryFile } from '../../../sql/database.ts';
import { signUnsubscribeToken } from '../../../sql/secrets/unsubscribe-token.ts';
import type { Letter, Piece } from '../letter.ts';
import { en, type EventType, type Severity, type Texts } from '../texts/en.ts';
import { greet, type LetterOptions, present, Superseded } from './options.ts';

const text = z.string();

const severity = z.enum(Object.keys(en.digest.severities) as [Severity]);

const digestEvent = z.object({
  company_name: text.nullable(),
  primary_identifier: text.nullable(),
  identifier_type: text.nullable(),
  event_type: z.enum(Object.keys(en.events) as [EventType]),
  severity,
  old_value: text.nullable(),
  new_value: text.nullable(),
});

type DigestEvent = z.output<typeof digestEvent>;

const severityTotal = z.object({ severity, event_count: z.int() });

type Total = z.output<typeof severityTotal>;

/** What the night leaves for the mail about its events, the worst first. */
const digestData = z.object({
  account_id: z.int(),
  user_name: text,
  source: text,
  event_date: z.iso.date(),
  totals: z.array(severityTotal).min(1),
  /** Not more than a mail may hold. */
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
  const day = texts.day(event_date);
  const bySeverity = Map.groupBy(events, (event) => event.severity);
  const shownOf = (name: Severity) => bySeverity.get(name) ?? [];
  const rest = totals
    .map((total) => ({ ...total, event_count: total.event_count - shownOf(total.severity).length }))
    .filter(({ event_count }) => event_count > 0);
  const intro = words.intro(source.toUpperCase(), day, sum(totals), list(texts, totals));
  return {
    subject: words.subject(day, sum(totals), list(texts, totals.slice(0, 1))),
    pieces: [
      { text: greet(texts, user_name) },
      { text: intro + (rest.length === 0 ? words.worstFirst : words.worstOnly(events.length)) },
      ...totals.flatMap((total) => writeSection(texts, total, shownOf(total.severity))),
      ...(rest.length === 0
        ? []
        : [
            { heading: words.moreHeading(sum(rest)) },
            { text: words.more(list(texts, rest)) },
            { code: `GET ${feed}` },
          ]),
      { footnote: words.footnote, link: unsubscribe_link, label: words.stop },
    ],
    unsubscribe_link,
  };
}

/** Throws `Superseded` when the account has turned the mails off since. */
async function findReader({ client }: LetterOptions, account_id: number): Promise<string> {
  type Account = { user_ref: string; is_wanted: boolean };
  const [account] = await queryFile<Account>(client, 'mail/digest_account.sql', [account_id]);
  if (!account?.is_wanted) throw new Superseded('The account has turned alerts by mail off');
  return account.user_ref;
}

/** The events of a severity, grouped by company. */
function writeSection(
  texts: Texts,
  { severity: name, event_count }: Total,
  shown: readonly DigestEvent[],
): Piece[] {
  if (shown.length === 0) return [];
  const companies = Map.groupBy(shown, (event) =>
    JSON.stringify([event.company_name, event.identifier_type, event.primary_identifier]),
  );
  const { heading, part } = texts.digest;
  const isPart = shown.length < event_count;
  const count = isPart ? part(shown.length, event_count) : texts.number(event_count);
  return [
    { heading: heading(name, count) },
    ...[...companies.values()].map((ofCompany) => {
      const [{ company_name, identifier_type, primary_identifier }] = ofCompany as [DigestEvent];
      return {
        title: present(company_name) || texts.unnamedCompany,
        note: primary_identifier
          ? `${identifier_type ?? ''} ${present(primary_identifier)}`
          : texts.withoutNumber,
        lines: ofCompany.map((event) => describeEvent(texts, event)),
      };
    }),
  ];
}

const dateForm = /^\d{4}-\d{2}-\d{2}$/;

/** An event in words, such as `The activity was suspended on 6 November 2026`. */
export function describeEvent(
  texts: Texts,
  { event_type, old_value, new_value }: Pick<DigestEvent, 'event_type' | 'old_value' | 'new_value'>,
): string {
  const prepare = (value: string | null) => {
    const line = present(value);
    if (line === '') return null;
    return dateForm.test(line) ? texts.day(line) : line;
  };
  return texts.events[event_type]({ before: prepare(old_value), after: prepare(new_value) });
}

function sum(totals: readonly Total[]): number {
  return totals.reduce((count, { event_count }) => count + event_count, 0);
}

/** Returns such as `1 critical, 30 high`. */
function list(texts: Texts, totals: readonly Total[]): string {
  return totals.map((total) => texts.digest.total(total.severity, total.event_count)).join(', ');
}
