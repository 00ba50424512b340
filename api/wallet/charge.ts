import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import { createBatch } from '../http/batch.ts';
import { charge, readBalance, withdraw, type Movement } from './ledger.ts';

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
}

/** Statements that may wait for the disk at once. */
const mostCharging = 3;

/** @param amount that was withdrawn */
export function describeCharge(amount: number, balance: number): ChargeHeaders {
  return { 'X-Credits-Charged': String(amount), 'X-Credits-Balance': String(balance) };
}

/** Requests that come while a statement is under way share the next one, and one wait for the disk. */
export function createCharging({ db, now }: { db: Kysely<Tables>; now: () => Date }): Charging {
  const withdrawInBatch = createBatch(
    (movements: Movement[]) => withdraw(db, movements),
    mostCharging,
  );

  const named = () => ({ operation_key: randomUUID(), now: now() });

  async function chargeWithin(tx: Transaction<Tables>, asked: Charge): Promise<ChargeHeaders> {
    const { account_id, amount } = asked;
    if (amount === 0) return describeCharge(0, await readBalance(tx, account_id));
    const { balance } = await charge(tx, { ...asked, ...named() });
    return describeCharge(amount, balance);
  }

  return {
    chargeWithin,
    async charge(asked) {
      const { account_id, amount } = asked;
      if (amount === 0) return describeCharge(0, await readBalance(db, account_id));
      const balance = await withdrawInBatch({ ...asked, ...named() });
      if (balance !== undefined) return describeCharge(amount, balance);
      // Short, or only behind others of the same moment: alone, it is told so or charged.
      return db.transaction().execute((tx) => chargeWithin(tx, asked));
    },
  };
}
