import { randomUUID } from 'node:crypto';
import type { Tx } from '../../sql/kysely.ts';
import type { AppOptions } from '../app.ts';
import { createBatch } from '../http/batch.ts';
import { charge, readBalance, withdraw, type Movement } from './ledger.ts';

/** The price of a request, and its payer. An amount of 0 is free and leaves no transaction. */
type Charge = Pick<Movement, 'account_id' | 'amount' | 'description'>;

/** The headers of an answer that can cost credits. */
type ChargeHeaders = Record<'X-Credits-Charged' | 'X-Credits-Balance', string>;

export type Charging = ReturnType<typeof createCharging>;

/** At most this many statements run in parallel; each waits for the disk. */
const mostCharging = 3;

/** Makes the headers of an answer. @param amount the credits that were withdrawn */
export function describeCharge(amount: number, balance: number): ChargeHeaders {
  return { 'X-Credits-Charged': String(amount), 'X-Credits-Balance': String(balance) };
}

/**
 * Makes the function that charges for requests. It withdraws nothing and throws the 402 when the
 * credits are short. Outside of a transaction, charges of the same moment share a statement.
 */
export function createCharging({ db, now }: Pick<AppOptions, 'db' | 'now'>) {
  const withdrawInBatch = createBatch(
    (movements: Movement[]) => withdraw(db, movements),
    mostCharging,
  );

  return async (asked: Charge, tx?: Tx): Promise<ChargeHeaders> => {
    const { account_id, amount } = asked;
    if (amount === 0) return describeCharge(0, await readBalance(tx ?? db, account_id));
    const movement = { ...asked, operation_key: randomUUID(), now: now() };
    const shared = tx ? undefined : await withdrawInBatch(movement);
    // The credits may be short only because of the rest of the batch: tries again without it.
    const balance = shared ?? (await charge(tx ?? db, movement)).balance;
    return describeCharge(amount, balance);
  };
}
