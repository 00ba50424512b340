import { z } from 'zod';
import { runFile } from '../../sql/database.ts';
import { signUnsubscribeToken } from '../../sql/secrets/unsubscribe-token.ts';
import type { Letter, Piece } from './letter.ts';
import { greet, type LetterOptions, Superseded } from './token-letters.ts';

const text = z.string();

const digestEvent = z.object({
  company_name: text.nullable(),
  primary_identifier: text.nullable(),
  identifier_type: text.nullable(),
  severity: text,
  /** Of the event type, as the dictionary has it. */
  description: text,
  old_value: text.nullable(),
  new_value: text.nullable(),
});

type DigestEvent = z.output<typeof digestEvent>;

/** How many events a severity has. */
interface Total {
  severity: string;
  event_count: number;
}

/** What the night leaves for the mail about its events, all of it from the worst on. */
const digestData = z.object({
  account_id: z.int(),
  user_name: text,
  source: text,
  event_date: z.iso.date(),
  /** Of all events. */
  totals: z.array(z.object({ severity: text, event_count: z.int() })).min(1),
  /** Not more than a mail may hold. */
  events: z.array(digestEvent).min(1),
});

/** Tells of the events of a night at the companies that an account watches. */
export async function writeDigestLetter(options: LetterOptions, data: unknown): Promise<Letter> {
  const { account_id, user_name, source, event_date, totals, events } = digestData.parse(data);
  const user_ref = await findReader(options, account_id);
  const token = signUnsubscribeToken(options.secretKey, user_ref);
  const unsubscribe_link = `${options.baseUrl}/unsubscribe?token=${token}`;
  const feed = `${options.baseUrl}/api/v1/watchlist/events?from_date=${event_date}&to_date=${event_date}`;
  const [worst] = totals as [Total];
  const changes = countOf(sum(totals), 'change');
  const rest = subtract(totals, events);
  const extent = rest.length === 0 ? 'The worst come first.' : `The worst ${events.length} follow.`;
  return {
    subject: `${describeDay(event_date)}: ${changes} at companies you watch, ${describe(worst)}`,
    pieces: [
      { text: greet(user_name) },
      {
        text: `${source.toUpperCase()} of ${describeDay(event_date)} brings ${changes} at companies that you watch: ${list(totals)}. ${extent}`,
      },
      ...totals.flatMap((total) => writeSection(total, events)),
      ...(rest.length === 0
        ? []
        : [
            { heading: `And ${format(sum(rest))} more` },
            { text: `${list(rest)}. The feed of your watch list has them all:` },
            { code: `GET ${feed}` },
          ]),
      {
        footnote:
          'You get this mail because alerts by e-mail are turned on for your account. PATCH /watchlist/alerts sets which events you are told of.',
        link: unsubscribe_link,
        label: 'Stop these mails',
      },
    ],
    unsubscribe_link,
  };
}

/** Throws `Superseded` when the account has turned the mails off since. */
async function findReader({ client }: LetterOptions, account_id: number): Promise<string> {
  const [result] = await runFile(client, 'mail/digest_account.sql', [account_id]);
  const account = result!.rows[0] as { user_ref: string; is_wanted: boolean } | undefined;
  if (!account?.is_wanted) throw new Superseded('The account has turned alerts by mail off');
  return account.user_ref;
}

/** The events of a severity, those of one company together. */
function writeSection(total: Total, events: readonly DigestEvent[]): Piece[] {
  const ofSeverity = events.filter(({ severity }) => severity === total.severity);
  if (ofSeverity.length === 0) return [];
  const companies = Map.groupBy(ofSeverity, (event) =>
    JSON.stringify([event.company_name, event.identifier_type, event.primary_identifier]),
  );
  const shown = ofSeverity.length < total.event_count ? `${format(ofSeverity.length)} of ` : '';
  const title = total.severity.charAt(0).toUpperCase() + total.severity.slice(1);
  return [
    { heading: `${title}: ${shown}${format(total.event_count)}` },
    ...[...companies.values()].map((ofCompany) => {
      const [{ company_name, identifier_type, primary_identifier }] = ofCompany as [DigestEvent];
      return {
        title: present(company_name) || 'A company without a name',
        note: primary_identifier
          ? `${identifier_type ?? ''} ${present(primary_identifier)}`
          : 'without a number',
        lines: ofCompany.map(describeEvent),
      };
    }),
  ];
}

function describeEvent({ description, old_value, new_value }: DigestEvent): string {
  const what = description.replace(/\.$/, '');
  if (old_value === null && new_value === null) return what;
  return `${what}: ${present(old_value) || '—'} → ${present(new_value) || '—'}`;
}

const longest = 200;

/**
 * What registries hold may be anything: it is kept to one line, without what would turn the direction
 * of the text, and to a length that can be read.
 */
export function present(value: string | null): string {
  const line = (value ?? '').replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line;
}

function subtract(totals: readonly Total[], events: readonly DigestEvent[]): Total[] {
  return totals
    .map(({ severity, event_count }) => ({
      severity,
      event_count: event_count - events.filter((event) => event.severity === severity).length,
    }))
    .filter(({ event_count }) => event_count > 0);
}

function sum(totals: readonly Total[]): number {
  return totals.reduce((count, { event_count }) => count + event_count, 0);
}

/** @returns such as `1 critical, 30 high` */
function list(totals: readonly Total[]): string {
  return totals.map(describe).join(', ');
}

function describe({ severity, event_count }: Total): string {
  return `${format(event_count)} ${severity}`;
}

function countOf(count: number, thing: string): string {
  return `${format(count)} ${thing}${count === 1 ? '' : 's'}`;
}

function format(count: number): string {
  return count.toLocaleString('en-GB');
}

/** @returns such as `5 November 2026` */
function describeDay(date: string): string {
  return new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
