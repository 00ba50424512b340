import { sql } from 'kysely';
import type { Db, Tx } from '../../sql/connection/kysely.ts';

/** An account and a company that it contests something of. */
export interface Own {
  account_id: string;
  company_ref: string;
}

/** The own challenges of an account of a company. */
export function selectOwn(db: Db, { account_id, company_ref }: Own) {
  return db
    .selectFrom('customer.challenge')
    .where('account_id', '=', account_id)
    .where('company_id', '=', sql<string>`registry.current_company(${company_ref})`);
}

export const shown = [
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

export type Contested = Own & { field: string; value: string; evidence: string };

/**
 * Opens a challenge of an account that has fewer than `most` open ones; the account is locked.
 * @returns whether the company is known, and the number, unless the account has so many or has ended
 */
export async function openChallenge(tx: Tx, contested: Contested, most: number, now: Date) {
  const { account_id, company_ref, field, value, evidence } = contested;
  await sql`select customer.lock_accounts(array[${account_id}::bigint])`.execute(tx);
  const { rows } = await sql<{ is_known: boolean; challenge_ref: string | null }>`
    with named as (
        select registry.current_company(${company_ref}) as company_id
    ),
    opened as (
        insert into customer.challenge (
            account_id, company_id, field, right_value, evidence, created_at
        )
        select account_id, company_id, ${field}, ${value}, ${evidence}, ${now}
        from customer.account
        join named on company_id is not null
        where account_id = ${account_id} and ended_at is null
            and ${most} > (
                select count(*) from customer.challenge as other
                where other.account_id = account.account_id and state = 'open'
            )
        returning challenge_id
    )
    select company_id is not null as is_known, (select challenge_id from opened) as challenge_ref
    from named
  `.execute(tx);
  return rows[0]!;
}
