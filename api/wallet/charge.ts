import { randomUUID } from 'node:crypto';
import type { Tx } from '../../sql/kysely.ts';
import type { AppOptions } from '../app.ts';
import { createBatch } from '../http/batch.ts';
import { charge, readBalance, withdraw, type Movement } from './ledger.ts';

/** The price of a request, and its payer. */
export interface Charge {
  account_id: string;
  /** Whole credits; 0 is free and leaves no transaction. */
  amount: number;
  /** For the owner of the account. */
  description: string;
}

/** The headers of an answer that can cost credits. */
export type ChargeHeaders = Record<'X-Credits-Charged' | 'X-Credits-Balance', string>;

export type Charging = ReturnType<typeof createCharging>;

/** At most this many statements run in parallel; each waits for the disk. */
const mostCharging = 3;

/** Makes the headers of an answer. @param amount the credits that were withdrawn */
export function describeCharge(amount: number, balance: number): ChargeHeaders {
  return { 'X-Credits-Charged': String(amount), 'X-Credits-Balance': String(balance) };
}

/** Charges in batches: requests that arrive while statements run share the next statement. */
export function createCharging({ db, now }: Pick<AppOptions, 'db' | 'now'>) {
  const withdrawInBatch = createBatch(
    (movements: Movement[]) => withdraw(db, movements),
    mostCharging,
  );

  const named = () => ({ operation_key: randomUUID(), now: now() });

  async function chargeWithin(tx: Tx, asked: Charge): Promise<ChargeHeaders> {
    const { account_id, amount } = asked;
    if (amount === 0) return describeCharge(0, await readBalance(tx, account_id));
    const { balance } = await charge(tx, { ...asked, ...named() });
    return describeCharge(amount, balance);
  }

  return {
    /** Does the same as `charge`, within the transaction of the caller. */
    chargeWithin,
    /** Withdraws credits. When the credits are short, withdraws nothing and throws the 402. */
    async charge(asked: Charge): Promise<ChargeHeaders> {
      const { account_id, amount } = asked;
      if (amount === 0) return describeCharge(0, await readBalance(db, account_id));
      const balance = await withdrawInBatch({ ...asked, ...named() });
      if (balance !== undefined) return describeCharge(amount, balance);
      // The credits are short, perhaps only because of the rest of the batch: tries again without it.
      return db.transaction().execute((tx) => chargeWithin(tx, asked));
    },
  };
}
