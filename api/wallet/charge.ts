import { randomUUID } from 'node:crypto';
import pRetry from 'p-retry';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { giveBack } from '../figures/timeouts.ts';
import type { Context } from '../http/context.ts';
import { createBatch } from '../http/batch.ts';
import { HttpError, unavailable } from '../http/errors.ts';
import { grant, type Movement, readWallet } from './ledger.ts';

/**
 * Withdraws credits for several requests in one SQL statement, and returns the new balance for each request. Returns
 * undefined for a request that was not charged, such as a request whose wallet is locked.
 */
async function withdraw(db: Db, asked: Movement[]): Promise<(number | undefined)[]> {
  const claimed = asked.filter(({ claim }) => claim?.() ?? true);
  type Row = { operation_key: string; balance_after: string };
  const rows = await runPrepared<Row>(db, 'api/charge.sql', [JSON.stringify(claimed)]);
  const balances = new Map(rows.map((row) => [row.operation_key, Number(row.balance_after)]));
  return asked.map(({ operation_key }) => balances.get(operation_key));
}

/**
 * Charges for a request by `pay`, which is repeated if the wallet was locked, and returns the new balance. Throws a 402
 * if the wallet has too few credits, and a 503 if the client no longer waits.
 */
async function chargeBy(
  pay: (asked: Movement) => Promise<number | undefined>,
  db: Db,
  asked: Movement,
): Promise<number> {
  for (;;) {
    const balance = await pay(asked);
    if (balance !== undefined) return balance;
    if (asked.claim?.() === false) throw unavailable();
    const { balance: left } = await readWallet(db, asked.account_id, true);
    if (left < asked.amount) throw creditsShort(asked.amount, left);
  }
}

/** Withdraws credits in `tx`, and returns the new balance. Throws a 402 if the wallet has too few credits. */
export function charge(tx: Tx, asked: Movement): Promise<number> {
  return chargeBy(async (one) => (await withdraw(tx, [one]))[0], tx, asked);
}

/** Refunds the credits of a withdrawal, but only once. Does nothing if the withdrawal was never committed. */
async function returnCharge(tx: Tx, { description, ...asked }: Movement, now: Date): Promise<void> {
  const { account_id, amount } = asked;
  const operation_key = `returned ${asked.operation_key}`;
  await readWallet(tx, account_id, true);
  const movements = await tx
    .selectFrom('customer.wallet_transaction')
    .select('operation_key')
    .where('account_id', '=', account_id)
    .where('operation_key', 'in', [asked.operation_key, operation_key])
    .execute();
  if (movements.length !== 1) return;
  const returned = { account_id, amount, description: `Not answered: ${description}` };
  await grant(tx, { ...returned, type: 'deposit', purchased: 0, operation_key, now });
}

// Spec: silent on the error for insufficient credits; we answer 402 with `required` and `balance`.
function creditsShort(required: number, balance: number): HttpError {
  const message = `This costs ${required} ${required === 1 ? 'credit' : 'credits'}, and the wallet has ${balance}.`;
  const body = { message, required, balance };
  return new HttpError(402, body, describeCharge(0, balance));
}

/** Returns the description of the 402 answer for an endpoint that costs `required` credits. */
export function creditErrors(required: number) {
  const description = 'The wallet has too few credits; nothing was withdrawn.';
  return { 402: { description, example: creditsShort(required, required - 1).body } };
}

/** Returns the headers of an answer that state the charged credits and the new balance. */
function describeCharge(amount: number, balance: number) {
  return { 'X-Credits-Charged': String(amount), 'X-Credits-Balance': String(balance) };
}

export type Charging = ReturnType<typeof createCharging>;

/**
 * Returns a function that charges for a request, and returns headers with the charged credits and the balance. A
 * handler such as companies/search.ts charges last; `claim` (http/deadline.ts) ensures that a charged answer is sent.
 * Parallel charges share one SQL statement. If the database connection is lost during a charge, the client gets a 503,
 * and later a refund if credits were withdrawn.
 */
export function createCharging({ db, readers, logger, now }: Context) {
  async function returnOpen(open: Movement[]): Promise<void> {
    for (const asked of open) {
      const attempt = () => db.transaction().execute((tx) => returnCharge(tx, asked, now()));
      await pRetry(attempt, { ...giveBack, factor: 1, unref: true }).catch((err: unknown) => {
        const { operation_key } = asked;
        logger.error({ err, operation_key }, 'A charge may have been made without an answer');
      });
    }
  }

  const withdrawInBatch = createBatch(async (batch: Movement[]) => {
    let isSent = false;
    try {
      return await db.connection().execute((session) => {
        isSent = true;
        return withdraw(session, batch);
      });
    } catch (error) {
      if (isSent && isLostConnection(error)) void returnOpen(batch);
      throw error;
    }
  });

  return async (asked: Omit<Movement, 'operation_key' | 'now'>, tx?: Tx) => {
    const { account_id, amount } = asked;
    if (amount === 0) {
      const wallet = await readers.readCustomer((one) => readWallet(one, account_id), tx);
      return describeCharge(0, wallet.balance);
    }
    const due = { ...asked, operation_key: randomUUID(), now: now() };
    const balance = tx ? await charge(tx, due) : await chargeBy(withdrawInBatch, db, due);
    return describeCharge(amount, balance);
  };
}
