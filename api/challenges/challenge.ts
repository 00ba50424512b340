import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { unauthorized } from '../auth/authenticate.ts';
import { type Paging, rowCount, skippedBy } from '../http/paging.ts';

/** What the own challenges of an account of a company show. */
export function selectOwn(db: Db | Tx, { account_id, company_ref }: Own) {
  return db
    .selectFrom('customer.challenge as challenge')
    .where('account_id', '=', account_id)
    .where('company_id', '=', sql<string>`registry.current_company(${company_ref})`);
}

interface Own {
  account_id: string;
  company_ref: string;
}

const shown = [
  'challenge_id as challenge_ref',
  'company_id as company_ref',
  'field',
  'right_value as value',
  'evidence',
  'state',
  'answer',
  'created_at',
  'ended_at',
] as const;

/** A page of the own challenges of a company, the newest first, and how many there are. */
export async function readOwn(db: Db, own: Own, paging: Paging) {
  const { total } = await selectOwn(db, own).select(rowCount).executeTakeFirstOrThrow();
  const challenges = await selectOwn(db, own)
    .select(shown)
    .orderBy('challenge_id', 'desc')
    .limit(paging.per_page)
    .offset(skippedBy(paging))
    .execute();
  return { total, challenges };
}

export function findOwn(db: Db | Tx, own: Own, challenge_ref: string) {
  return selectOwn(db, own)
    .select(shown)
    .where('challenge_id', '=', challenge_ref)
    .executeTakeFirst();
}

/** Locks an account that has not ended, so that its bound holds, and counts its open challenges. */
export async function lockOpen(tx: Tx, account_id: string): Promise<number> {
  await tx
    .selectFrom('customer.account')
    .select('account_id')
    .where('account_id', '=', account_id)
    .where('ended_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => unauthorized('Invalid token'));
  const { total } = await tx
    .selectFrom('customer.challenge')
    .select(rowCount)
    .where('account_id', '=', account_id)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow();
  return total;
}

/** @returns the number of the challenge; undefined for an unknown company */
export async function insertChallenge(
  tx: Tx,
  challenge: Own & { field: string; value: string; evidence: string; now: Date },
): Promise<string | undefined> {
  const { account_id, company_ref, field, value, evidence, now } = challenge;
  const { rows } = await sql<{ challenge_id: string }>`
    insert into customer.challenge (
        account_id, company_id, field, right_value, evidence, created_at
    )
    select ${account_id}, company_id, ${field}, ${value}, ${evidence}, ${now}
    from registry.current_company(${company_ref}) as company_id
    where company_id is not null
    returning challenge_id
  `.execute(tx);
  return rows[0]?.challenge_id;
}
