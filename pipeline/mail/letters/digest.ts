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

type DigestData = z.output<typeof digestData>;

/** Reports the events of a night at the companies that an account watches. */
export async function writeDigestLetter(options: LetterOptions, data: unknown): Promise<Letter> {
  const digest = digestData.parse(data);
  const { texts } = options;
  const { account_id, user_name, event_date, totals, events } = digest;
  const user_ref = await findReader(options, account_id);
  const issued_at = options.created_at;
  const token = signUnsubscribeToken(options.secretKey, { user_ref, issued_at });
  const unsubscribe_link = `${options.baseUrl}/unsubscribe?token=${token}`;
  const feed = `${options.baseUrl}/api/v1/watchlist/events?from_date=${event_date}&to_date=${event_date}`;
  const sections = totals.map((total) => ({
    ...total,
    shown: events.filter((event) => event.severity === total.severity),
  }));
  const rest = sections
    .map(({ event_count, shown, ...total }) => ({
      ...total,
      event_count: event_count - shown.length,
    }))
    .filter(({ event_count }) => event_count > 0);
  return {
    subject: writeSubject(texts, digest),
    pieces: [
      { text: greet(texts, user_name) },
      { text: introduce(texts, digest, rest.length === 0) },
      ...sections.flatMap((section) => writeSection(texts, section)),
      ...(rest.length === 0
        ? []
        : [
            { heading: texts.digest.moreHeading(sum(rest)) },
            { text: texts.digest.more(list(texts, rest)) },
            { code: `GET ${feed}` },
          ]),
      { footnote: texts.digest.footnote, link: unsubscribe_link, label: texts.digest.stop },
    ],
    unsubscribe_link,
  };
}

function writeSubject(texts: Texts, { event_date, totals }: DigestData): string {
  const [worst] = totals as [Total];
  const { severity: name, event_count } = worst;
  const worstTotal = texts.digest.total(name, event_count);
  return texts.digest.subject(texts.day(event_date), sum(totals), worstTotal);
}

function introduce(texts: Texts, digest: DigestData, isComplete: boolean): string {
  const { source, event_date, totals, events } = digest;
  const day = texts.day(event_date);
  const { intro, worstFirst, worstOnly } = texts.digest;
  const sentence = intro(source.toUpperCase(), day, sum(totals), list(texts, totals));
  return sentence + (isComplete ? worstFirst : worstOnly(events.length));
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
  { severity: name, event_count, shown }: Total & { shown: DigestEvent[] },
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
