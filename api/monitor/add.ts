import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Caller } from '../auth/authenticate.ts';
import { changeAccount } from '../auth/change-account.ts';
import { type CompanyName, columnsOf } from '../companies/company-of-request.ts';
import { numberCheck } from '../companies/number-check.ts';
import { text } from '../endpoint/answers.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import type { Bounds } from '../figures/account-limits.ts';
import { limits, submissionLimit } from '../figures/rate-limits.ts';
import type { Context } from '../http/context.ts';
import { invalid } from '../http/errors.ts';
import { additionBody, companiesOf } from './companies-of-body.ts';
import { readSubmission, submission } from './submission.ts';
import { common, settle } from './watch-list.ts';

/** The companies, without repetition, that an account adds to its watch list by one request. */
interface Submission {
  caller: Caller;
  /** `reference` is the client's own reference for a company: null keeps the stored reference, '' deletes it. */
  items: readonly { name: CompanyName; reference: string | null }[];
  now: Date;
  /** The field of the request that lists the companies; error messages name it. */
  field: string;
}

/**
 * Adds companies to the watch list of an account. Returns the submission, the count of added companies, and whether the
 * account gets mails about submissions. Throws a 422 when the account exceeds a limit.
 */
async function addCompanies(db: Db, submitted: Submission, bounds: Bounds) {
  const { caller, now, field } = submitted;
  const { account_id } = caller;
  return changeAccount(db, caller, async (tx) => {
    const { submission_id, submission_ref, watch_ids, new_ids } = await submit(tx, submitted);
    // The submissions of the watches are read before `make_ready`, which may merge a watch into another watch.
    const { rows } = await sql<{ submissions: string[] }>`
      select array_append(customer.submissions_of(${watch_ids}), ${submission_id}::bigint) as submissions
    `.execute(tx);
    await sql`select customer.make_ready(${watch_ids}, ${now})`.execute(tx);
    await runPrepared(tx, 'api/monitor/name_watches.sql', [submission_id]);
    // New watches of companies that were already watched are not counted, since `make_ready` has deleted them.
    const asked = [account_id, new_ids];
    const [counts] = await runPrepared<Counts>(tx, 'api/monitor/count_watches.sql', asked);
    const { added, notifies } = counts!;
    requireBounds(counts!, bounds, field);
    await sql`
      update customer.submission set is_reported = ${added > 0} where submission_id = ${submission_id}
    `.execute(tx);
    await settle(tx, rows[0]!.submissions, now);
    const data = (await readSubmission(tx, account_id, submission_ref))!;
    return { data, added, notifies };
  });
}

type Counts = { notifies: boolean } & Record<
  'added' | 'waiting' | 'all_watches' | 'all_queued',
  number
>;

function requireBounds(counts: Counts, bounds: Bounds, field: string): void {
  const { added, waiting, all_watches, all_queued } = counts;
  const { WATCHES_PER_ACCOUNT: watches, QUEUED_NUMBERS_PER_ACCOUNT: queued } = bounds;
  const problems = [
    added > 0 && all_watches > watches
      ? `A watch list has at most ${watches} companies; this would make ${all_watches}.`
      : [],
    waiting > 0 && all_queued > queued
      ? `At most ${queued} numbers of an account wait for their import; this would make ${all_queued}.`
      : [],
  ].flat();
  if (problems.length === 0) return;
  throw invalid(problems.map((problem) => [field, problem, 'limit_exceeded']));
}

async function submit(tx: Tx, { caller: { account_id }, items, now }: Submission) {
  const columns = columnsOf(items.map(({ name }) => name));
  // A watch whose import failed is deleted, so that its company number is queued for import again.
  await sql`
    delete from customer.watch
    using unnest(${columns[0]}::text[], ${columns[1]}::text[]) as submitted (type, value)
    where
        account_id = ${account_id}
        and identifier_type = submitted.type
        and identifier_value = submitted.value
        and state = 'failed'
  `.execute(tx);
  type Submitted = Record<'submission_id' | 'submission_ref', string> &
    Record<'watch_ids' | 'new_ids', string[]>;
  const given = [account_id, now, ...columns, items.map(({ reference }) => reference)];
  const [submitted] = await runPrepared<Submitted>(tx, 'api/monitor/submit_numbers.sql', given);
  return submitted!;
}

function countThat(count: number): string {
  return `${count} ${count === 1 ? 'is' : 'are'}`;
}

type Outcome = Record<'ready' | 'queued' | 'failed' | 'added', number>;

function describeAddition({ ready, queued, failed, added }: Outcome, notifies: boolean): string {
  const count = ready + queued + failed;
  const sentences = [`${ready} of ${count} ${count === 1 ? 'company' : 'companies'} ready.`];
  if (queued > 0) sentences.push(`${countThat(queued)} not known yet and will be imported.`);
  if (failed > 0) sentences.push(`${countThat(failed)} unknown.`);
  if (added === 0) sentences.push('Nothing new is on the list.');
  else if (notifies) sentences.push('An e-mail confirms when all are settled.');
  return sentences.join(' ');
}

export function add(options: Context): Endpoint {
  const { db, limiter, now } = options;
  const limit = submissionLimit(options);

  return endpoint(
    {
      ...common,
      isInTurn: true,
      method: 'post',
      path: '/companies/add',
      summary: 'Add companies to the watch list',
      description: `A company that a registry has listed is watched at once. The others are imported first, which fails when no registry has the number within seven days. An e-mail reports each submission when its last company is ready or has failed, unless \`PATCH /watchlist/alerts\` has switched it off. A company that is watched already changes nothing, also under another or a former number; a submission that changes nothing sends no mail. An account has at most ${options.WATCHES_PER_ACCOUNT} companies on its list and ${options.QUEUED_NUMBERS_PER_ACCOUNT} numbers that wait for their import, else 422; ${limit.request_count} submissions a day, else 429. A submission with a \`company_ref\` also counts as one of the ${limits.lookupsOfDay.request_count} lookups a day.`,
      body: additionBody,
      check: numberCheck,
      status: 202,
      answer: z.strictObject({ success: z.literal(true), message: text, data: submission }),
      example: {
        message: describeAddition({ ready: 1, queued: 1, failed: 1, added: 2 }, true),
      },
    },
    async ({ body, caller }) => {
      const { account_id } = caller;
      await limiter.count(limit, account_id);
      // A request with a `company_ref` also counts as a lookup, since its answer contains names of companies.
      const isByReference = body.identifiers?.some(({ company_ref }) => company_ref !== undefined);
      if (isByReference) await limiter.count(limits.lookupsOfDay, account_id);
      const field = body.identifiers ? 'identifiers' : 'identifier_value';
      const submitted = { caller, items: companiesOf(body), now: now(), field };
      const { data, added, notifies } = await addCompanies(db, submitted, options);
      const [ready, queued, failed] = [data.ready.length, data.queued.length, data.failed.length];
      const message = describeAddition({ ready, queued, failed, added }, notifies);
      return { success: true, message, data };
    },
  );
}
