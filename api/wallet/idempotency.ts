import { hash } from 'node:crypto';
import type { Request } from 'express';
import { z } from 'zod';
import { type Db, lockName, type Tx } from '../../sql/connection/kysely.ts';
import { lifetimes } from '../figures/lifetimes.ts';
import { invalid } from '../http/errors.ts';

/** An answer that is stored, and sent again to further requests with the same `Idempotency-Key`. */
export interface Answer<Body extends object> {
  body: Body;
  headers?: Record<string, string>;
}

export interface Operation {
  account_id: string;
  /** The name of the operation, such as `topup`; equal keys of different operations are independent. */
  name: string;
  key: string | undefined;
  /** The parsed request body. A request with a used key but another body gets a 422. */
  request: unknown;
  now: Date;
}

const header = 'Idempotency-Key';
const malformed = `The ${header} header must have 1 to 255 visible ASCII characters.`;
const reused = `The ${header} header was used within 24 hours for another request.`;

const replayed = { 'Idempotency-Replayed': 'true' };

/** The schema of the header `Idempotency-Key` for the descriptions of endpoints. */
export const idempotencyHeader = z.object({ [header]: z.string().min(1).max(255).optional() });

/** Returns the `Idempotency-Key` of a request, or undefined if it has none. Throws a 422 for a malformed key. */
export function readIdempotencyKey(request: Request): string | undefined {
  const key = request.get(header);
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid([[header, malformed, 'invalid_format']]);
  return key;
}

/**
 * Runs an operation in a transaction, but only once in 24 hours for each `Idempotency-Key`. Further requests with this
 * key get the stored answer. Only successful answers are stored; `sql/retention/delete_done.sql` deletes them. `run`
 * must not wait for other services, since it occupies a database session.
 */
export async function answerOnce<Body extends object>(
  db: Db,
  operation: Operation,
  run: (tx: Tx) => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  const { key, request, now } = operation;
  const forgotten_at = new Date(now.getTime() - lifetimes.idempotentAnswer_ms);
  const request_hash = hash('sha256', JSON.stringify(request), 'buffer');
  return db.transaction().execute(async (tx) => {
    if (key === undefined) return run(tx);
    const id = idOf(operation, key);
    await lockName(tx, Object.values(id).join(' '));
    const known = await tx
      .selectFrom('customer.idempotent_answer')
      .select(['request_hash', 'headers', 'body'])
      .where((eb) => eb.and(id))
      .where('created_at', '>', forgotten_at)
      .executeTakeFirst();
    if (known?.request_hash.equals(request_hash) === false)
      throw invalid([[header, reused, 'reused_key']]);
    if (known) return { body: known.body as Body, headers: { ...known.headers, ...replayed } };
    const answer = await run(tx);
    const stored = {
      request_hash,
      headers: JSON.stringify(answer.headers ?? {}),
      body: JSON.stringify(answer.body),
      created_at: now,
    };
    await tx
      .insertInto('customer.idempotent_answer')
      .values({ ...id, ...stored })
      .onConflict((conflict) => conflict.constraint('idempotent_answer_pkey').doUpdateSet(stored))
      .execute();
    return answer;
  });
}

/** Deletes the stored answer for a key, so that the next request with this key runs the operation again. */
export async function forgetAnswer(db: Db, operation: Operation): Promise<void> {
  if (operation.key === undefined) return;
  const id = idOf(operation, operation.key);
  await db
    .deleteFrom('customer.idempotent_answer')
    .where((eb) => eb.and(id))
    .execute();
}

function idOf({ account_id, name: operation }: Operation, idempotency_key: string) {
  return { account_id, operation, idempotency_key };
}
