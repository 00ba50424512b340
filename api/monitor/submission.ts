import { z } from 'zod';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { identifierType } from '../dictionaries/names.ts';
import { answersSuccess, model, text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { HttpError } from '../http/errors.ts';

const items = z.array(
  model('SubmittedCompany', {
    identifier_type: identifierType.or(z.null()),
    identifier_value: text.nullable(),
    company_ref: text.nullable(),
    name: text.nullable(),
    reference: text.nullable(),
    // The codes are set by submit_numbers.sql, 13_watch.sql and import/ask-registries.ts.
    code: text.nullable(),
    failure: text.nullable(),
  }),
);

/** A submission (one request that added companies to the watch list), with its companies grouped by state. */
export const submission = model('Submission', {
  submission_ref: text,
  state: z.enum(['open', 'settled']),
  submitted_at: time,
  settled_at: time.nullable(),
  ready: items,
  queued: items,
  failed: items,
  removed: items,
});

/**
 * Returns an account's submission with a `submission_ref`; undefined if the account has no such submission. The view
 * `customer.submission_outcome` (sql/function/12_submission.sql) decides whether a company is ready, queued or failed.
 */
export async function readSubmission(db: Db | Tx, account_id: string, submission_ref: string) {
  const file = 'api/monitor/read_submission.sql';
  const asked = [account_id, submission_ref];
  return (await runPrepared<z.output<typeof submission>>(db, file, asked))[0];
}

const unknown = {
  success: false,
  message: 'The submission is unknown.',
  code: 'UNKNOWN_SUBMISSION',
} as const;

export const readSubmissionEndpoint = endpoint(
  {
    method: 'get',
    path: '/companies/submissions/{submission_ref}',
    tag: 'Company monitor',
    summary: 'Read what became of a submission to the watch list',
    auth: 'token',
    params: z.strictObject({ submission_ref: z.string().max(50) }),
    ...answersSuccess(submission),
    errors: { 404: { description: 'The account has no such submission.', example: unknown } },
  },
  async ({ params, caller, options: { db } }) => {
    const data = await readSubmission(db, caller.account_id, params.submission_ref);
    if (!data) throw new HttpError(404, unknown);
    return { success: true, data };
  },
);
