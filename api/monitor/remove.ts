import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Caller } from '../auth/authenticate.ts';
import { changeAccount } from '../auth/change-account.ts';
import {
  type CompanyName,
  columnsOf,
  namingOne,
  whenObject,
} from '../companies/company-of-request.ts';
import { numberCheck } from '../companies/number-check.ts';
import { identifierType } from '../dictionaries/names.ts';
import { answersSuccess, text, time } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { checkCompanies, companiesOf, listOf, numberList, spellings } from './companies-of-body.ts';
import { common, settle } from './watch-list.ts';

/** The outcome of a removal, by sql/api/monitor/find_watches.sql; `not_found`: no company has the number. */
type RemovalOutcome = 'removed' | 'not_found' | 'not_watched';

/** The outcome of one removal, with the ids of the watch and of the company; null: there is no watch or no company. */
type Found = { outcome: RemovalOutcome } & Record<'watch_id' | 'company_id', string | null>;

/** Removes companies from an account's watch list, and their events from its feed; returns the outcomes. */
async function removeCompanies(
  db: Db,
  { caller, names, now }: { caller: Caller; names: readonly CompanyName[]; now: Date },
): Promise<RemovalOutcome[]> {
  return changeAccount(db, caller, async (tx) => {
    const { account_id } = caller;
    const asked = [account_id, ...columnsOf(names)];
    const found = await runPrepared<Found>(tx, 'api/monitor/find_watches.sql', asked);
    const company_ids = found.map(({ company_id }) => company_id);
    const watch_ids = found.map(({ watch_id }) => watch_id);
    const { rows } = await sql<{ submissions: string[] }>`
      with removed as (
          delete from customer.watch where watch_id = any(${watch_ids}::bigint[])
      ),
      unfed as (
          delete from customer.feed
          where account_id = ${account_id} and company_id = any(${company_ids}::bigint[])
      )
      select customer.submissions_of(${watch_ids}) as submissions
    `.execute(tx);
    await settle(tx, rows[0]!.submissions, now);
    return found.map(({ outcome }) => outcome);
  });
}

const outcomes = ['removed', 'not_found', 'not_watched'] as const;

/** Returns an object whose keys are the possible outcomes of a removal, with the values from `valueOf`. */
function byOutcome<Value>(valueOf: (outcome: RemovalOutcome) => Value) {
  return Object.fromEntries(outcomes.map((outcome) => [outcome, valueOf(outcome)]));
}

export const remove = endpoint(
  {
    ...common,
    isInTurn: true,
    method: 'delete',
    path: '/companies/watched',
    summary: 'Remove companies from the watch list',
    // `checkCompanies` of companies-of-body.ts refuses a body that names different companies in both ways.
    body: z
      .strictObject({
        identifier_type: identifierType.optional(),
        identifier_value: numberList.optional(),
        name: identifierType.optional(),
        value: numberList.optional(),
        identifiers: listOf(namingOne({})).optional(),
      })
      .superRefine(checkCompanies, whenObject),
    check: (options) => numberCheck(options, [...spellings]),
    ...answersSuccess(
      z.strictObject(byOutcome(() => z.array(text))),
      z.strictObject({ total: z.int(), ...byOutcome(() => z.int()), removed_at: time }),
    ),
  },
  async ({ body, caller, options: { db, now } }) => {
    const { identifiers, identifier_type = body.name, identifier_value = body.value } = body;
    const companies = companiesOf({ identifiers, identifier_type, identifier_value });
    const at = now();
    const names = companies.map(({ name }) => name);
    const found = await removeCompanies(db, { caller, names, now: at });
    const of = Map.groupBy(companies, (_, place) => found[place]!);
    const data = byOutcome((outcome) => (of.get(outcome) ?? []).map(({ written }) => written));
    const counts = byOutcome((outcome) => of.get(outcome)?.length ?? 0);
    const meta = { total: found.length, ...counts, removed_at: formatTimestamp(at) };
    return { success: true, data, meta };
  },
);
