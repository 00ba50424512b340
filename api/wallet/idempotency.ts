import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '../../sql/kysely.ts';
import { invalid } from '../http/errors.ts';

const memory_ms = 24 * 60 * 60 * 1000;

/** Each new answer deletes up to this many expired answers, so that the table does not grow. */
const sweptPerAnswer = 10;

/** An answer that can be stored and sent again. */
export interface Answer<Body extends object> {
  body: Body;
  headers?: Record<string, string>;
}

export interface Operation {
  account_id: string;
  /** The name of the operation, such as `topup`. Each operation has its own keys. */
  name: string;
  /** The result of `readIdempotencyKey`. */
  key: string | undefined;
  /** The parsed body. The same key with another body is refused. */
  request: unknown;
  now: Date;
}

const header = 'Idempotency-Key';
const malformed = `The ${header} header must have 1 to 255 visible ASCII characters.`;
const reused = `The ${header} header was used within 24 hours for another request.`;

const replayed = { 'Idempotency-Replayed': 'true' };

/** The header `Idempotency-Key` in the description of an endpoint. */
export const idempotencyHeader = z.object({
  [header]: z.string().min(1).max(255).optional().meta({
    description:
      'A text of your own, such as a UUID: the same key within 24 hours gives the same answer, and no second effect.',
  }),
});

/** Reads the `Idempotency-Key` of a request, if there is one. Throws a 422 for a malformed key. */
export function readIdempotencyKey(request: Request): string | undefined {
  const key = request.get(header);
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) throw invalid([[header, malformed]]);
  return key;
}

/**
 * Runs an operation in a transaction, once per key within 24 hours. A later request with the key gets
 * the first answer, with `Idempotency-Replayed: true`. A parallel request waits for the first answer.
 * Only successful answers are stored. Throws a 422 when the key was used for another request.
 *
 * @param run must not wait for other services, since it holds a session of the pool
 */
export async function answerOnce<Body extends object>(
  db: Db,
  operation: Operation,
  run: (tx: Tx) => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  const { key } = operation;
  return db.transaction().execute(async (tx) => {
    if (key === undefined) return run(tx);
    const known = await remember(tx, { ...operation, key });
    if (known) return known as Answer<Body>;
    const answer = await run(tx);
    await tx
      .updateTable('customer.idempotent_answer')
      .set({ headers: JSON.stringify(answer.headers ?? {}), body: JSON.stringify(answer.body) })
      .where('account_id', '=', operation.account_id)
      .where('operation', '=', operation.name)
      .where('idempotency_key', '=', key)
      .execute();
    await sweep(tx, operation.now);
    return answer;
  });
}

/** Frees a key: the next request with it runs the operation. */
export async function forgetAnswer(
  db: Db,
  { account_id, name, key }: Pick<Operation, 'account_id' | 'name' | 'key'>,
): Promise<void> {
  if (key === undefined) return;
  await db
    .deleteFrom('customer.idempotent_answer')
    .where('account_id', '=', account_id)
    .where('operation', '=', name)
    .where('idempotency_key', '=', key)
    .execute();
}

// Takes the key, or returns its stored answer. The insert waits for an open transaction with the key.
async function remember(
  tx: Tx,
  { account_id, name, key, request, now }: Operation & { key: string },
): Promise<Answer<object> | undefined> {
  const request_hash = createHash('sha256').update(JSON.stringify(request)).digest();
  const { rows } = await sql`
    insert into customer.idempotent_answer as known (
        account_id, operation, idempotency_key, request_hash, created_at
    )
    values (${account_id}, ${name}, ${key}, ${request_hash}, ${now})
    on conflict (account_id, operation, idempotency_key) do update set
        request_hash = excluded.request_hash,
        headers = null,
        body = null,
        created_at = excluded.created_at
    where known.created_at <= ${new Date(now.getTime() - memory_ms)}
    returning known.account_id
  `.execute(tx);
  if (rows.length > 0) return undefined;
  const known = await tx
    .selectFrom('customer.idempotent_answer')
    .select(['request_hash', 'headers', 'body'])
    .where('account_id', '=', account_id)
    .where('operation', '=', name)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  // The answer was deleted between the two statements.
  if (!known) return remember(tx, { account_id, name, key, request, now });
  if (!known.request_hash.equals(request_hash)) throw invalid([[header, reused]]);
  return { body: known.body ?? {}, headers: { ...known.headers, ...replayed } };
}

async function sweep(tx: Tx, now: Date): Promise<void> {
  await sql`
    delete from customer.idempotent_answer
    where (account_id, operation, idempotency_key) in (
        select account_id, operation, idempotency_key
        from customer.idempotent_answer
        where created_at <= ${new Date(now.getTime() - memory_ms)}
        limit ${sweptPerAnswer}
        for update skip locked
    )
  `.execute(tx);
}
