import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import { prepared } from '../../sql/prepared.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { createBatch } from '../http/batch.ts';
import { charge, withdrawal } from './ledger.ts';

/** What a request costs whom. */
export interface Charge {
  account_id: string;
  /** Whole credits; 0 is free and leaves no transaction. */
  amount: number;
  /** What the owner of the account reads. */
  description: string;
}

/** What an answer that costs something says of it. */
export type ChargeHeaders = Record<'X-Credits-Charged' | 'X-Credits-Balance', string>;

/** Takes credits for answers that have been computed. */
export interface Charging {
  /** Withdraws at once. Throws the 402 when the credits are short; nothing is withdrawn then. */
  charge(charge: Charge): Promise<ChargeHeaders>;
  /** The same, taking effect with the caller's transaction. */
  chargeWithin(tx: Transaction<Tables>, charge: Charge): Promise<ChargeHeaders>;
  /** The same as part of a statement, as `withdrawal` of the ledger: under a condition. */
  chargeIf(condition: RawBuilder<unknown>, charge: Charge): RawBuilder<unknown>;
}

/** Statements that may wait for the disk at once. */
const mostCharging = 3;

interface Asked extends Charge {
  operation_key: string;
}

/** @param amount that was withdrawn */
export function describeCharge(amount: number, balance: number): ChargeHeaders {
  return { 'X-Credits-Charged': String(amount), 'X-Credits-Balance': String(balance) };
}

async function readBalance(db: Kysely<Tables>, account_id: string): Promise<number> {
  const row = await db
    .selectFrom('customer.wallet')
    .select('balance')
    .where('account_id', '=', account_id)
    .executeTakeFirst();
  return Number(row?.balance ?? 0);
}

/**
 * Withdraws for several requests, of one account or of many, in one statement: those of an account in
 * their order, as far as its balance goes. Wallets are locked in the order of their accounts, so that
 * no two processes wait for each other.
 *
 * @returns the balance after each, undefined for those that were not charged
 */
async function chargeAll(
  db: Kysely<Tables>,
  charges: Asked[],
  now: Date,
): Promise<(number | undefined)[]> {
  const { rows } = await sql<{ operation_key: string; balance_after: string }>`${prepared}
    with asked as materialized (
        select *
        from unnest(
            ${charges.map(({ account_id }) => account_id)}::bigint[],
            ${charges.map(({ amount }) => amount)}::bigint[],
            ${charges.map(({ description }) => description)}::text[],
            ${charges.map(({ operation_key }) => operation_key)}::text[]
        ) with ordinality as asked (account_id, amount, description, operation_key, place)
    ),
    locked as materialized (
        select wallet.account_id, wallet.balance, wallet.last_transaction_no
        from customer.wallet as wallet
        where wallet.account_id = any(${charges.map(({ account_id }) => account_id)}::bigint[])
        order by wallet.account_id
        for no key update
    ),
    summed as (
        select
            asked.account_id, asked.amount, asked.description, asked.operation_key,
            locked.balance, locked.last_transaction_no,
            sum(asked.amount) over in_turn as spent,
            row_number() over in_turn as turn
        from asked
        join locked using (account_id)
        window in_turn as (partition by asked.account_id order by asked.place)
    ),
    granted as materialized (
        select * from summed where summed.spent <= summed.balance
    ),
    charged as (
        update customer.wallet as wallet set
            balance = wallet.balance - spending.spent,
            last_transaction_no = wallet.last_transaction_no + spending.turns
        from (
            select granted.account_id, max(granted.spent) as spent, max(granted.turn) as turns
            from granted
            group by granted.account_id
        ) as spending
        where wallet.account_id = spending.account_id
    )
    insert into customer.wallet_transaction (
        account_id, transaction_no, type, amount, balance_before, balance_after, description,
        operation_key, created_at
    )
    select
        granted.account_id, granted.last_transaction_no + granted.turn, 'withdraw', granted.amount,
        granted.balance - granted.spent + granted.amount, granted.balance - granted.spent,
        granted.description, granted.operation_key, ${now}::timestamptz
    from granted
    returning operation_key, balance_after
  `.execute(db);
  const balances = new Map(
    rows.map(({ operation_key, balance_after }) => [operation_key, Number(balance_after)]),
  );
  return charges.map(({ operation_key }) => balances.get(operation_key));
}

/** Requests that come while a statement is under way share the next one, and one wait for the disk. */
export function createCharging({ db, now }: { db: Kysely<Tables>; now: () => Date }): Charging {
  const chargeInBatch = createBatch(
    (charges: Asked[]) => chargeAll(db, charges, now()),
    mostCharging,
  );

  async function chargeWithin(tx: Transaction<Tables>, asked: Charge): Promise<ChargeHeaders> {
    const { account_id, amount } = asked;
    if (amount === 0) return describeCharge(0, await readBalance(tx, account_id));
    const { balance } = await charge(tx, { ...asked, operation_key: randomUUID(), now: now() });
    return describeCharge(amount, balance);
  }

  return {
    chargeWithin,
    chargeIf: (condition, asked) => {
      return withdrawal({ ...asked, operation_key: randomUUID(), now: now() }, condition);
    },
    async charge(asked) {
      const { account_id, amount } = asked;
      if (amount === 0) return describeCharge(0, await readBalance(db, account_id));
      const balance = await chargeInBatch({ ...asked, operation_key: randomUUID() });
      if (balance !== undefined) return describeCharge(amount, balance);
      // Short, or only behind others of the same moment: alone, it is told so or charged.
      return db.transaction().execute((tx) => chargeWithin(tx, asked));
    },
  };
}
