import { z } from 'zod';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { createBatch } from '../http/batch.ts';
import { endpoint, type Endpoint, writeSuccess } from '../endpoint/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import {
  answerOnce,
  idempotencyHeader,
  readIdempotencyKey,
  type Answer,
} from '../wallet/idempotency.ts';
import {
  columnsOf,
  nameOf,
  namingOne,
  unknownCompany,
  unknownCompanyErrors,
} from './company-of-request.ts';
import { numberCheck } from './number-check.ts';
import { keep } from '../http/cached-read.ts';
import { type Charging, creditErrors } from '../wallet/charge.ts';
import { snapshotAnswered } from './snapshot-fields.ts';
import { readSnapshotDictionary } from './snapshot-dictionary.ts';
import type { SnapshotEntry } from './snapshot-entry.ts';
import { viewSnapshot } from './snapshot-view.ts';
import { isKnown, tagOf } from '../http/etag.ts';
import { formatTimestamp } from '../http/timestamp.ts';

const companyBody = namingOne({ lang: z.string().optional() });

/** The company that a request names, and the number of the oldest published snapshot that may answer. */
type Asked = Omit<z.output<typeof companyBody>, 'lang'> & { snapshot_no: number };

/** Returns a list of entries for each company in `asked`, in the order of `asked`; null for an unknown company. */
async function readEntries(db: Db, asked: Asked[]): Promise<(SnapshotEntry[] | null)[]> {
  const columns = columnsOf(asked.map(nameOf));
  const file = 'api/read_snapshot.sql';
  const rows = await runPrepared<{ entries: SnapshotEntry[] | null }>(db, file, columns);
  return rows.map(({ entries }) => entries);
}

/** Omits `provenance` from the hashed text of the `ETag`: a snapshot in which only the provenance changed is free. */
const leaveOut = (key: string, value: unknown) => (key === 'provenance' ? undefined : value);

/** Returns the endpoint of company snapshots. `../figures/prices-and-bonus.ts` sets the price of a snapshot. */
export function snapshotEndpoint(options: Context, charge: Charging): Endpoint {
  const { db, readers, now, SNAPSHOT_CREDITS } = options;
  const readInBatch = createBatch((asked: Asked[]) => {
    const least_no = Math.max(...asked.map(({ snapshot_no }) => snapshot_no));
    return readers.read((one) => readEntries(one, asked), least_no);
  }, 2);
  const readDictionary = keep(() => readSnapshotDictionary(readers.db));

  return endpoint(
    {
      method: 'post',
      path: '/companies/snapshot',
      tag: 'Companies',
      summary: 'Read the full profile of a company',
      auth: 'token',
      credits: SNAPSHOT_CREDITS,
      headers: idempotencyHeader.extend({ 'If-None-Match': z.string().optional() }),
      body: companyBody,
      check: numberCheck,
      ...snapshotAnswered,
      errors: {
        304: {
          description: 'The snapshot has the `ETag` of `If-None-Match`; no body.',
          example: {},
        },
        ...creditErrors(SNAPSHOT_CREDITS),
        ...unknownCompanyErrors,
      },
    },
    async ({ body, caller: { account_id, snapshot_no }, request, response, claim }) => {
      const { lang, ...named } = body;
      const dictionary = await readDictionary();
      if (lang !== undefined) dictionary.words.requireLanguage(lang);
      const asked = { ...named, snapshot_no };
      /** Charges for and returns the snapshot; `tx` is the transaction of a request with an `Idempotency-Key`. */
      const take = async (tx?: Tx): Promise<Answer<{ text: string }>> => {
        // With `tx`, its own session reads the entries: requests that wait for a second session could deadlock.
        const [entries] = tx
          ? await readers.read((one) => readEntries(one, [asked]), snapshot_no, tx)
          : [await readInBatch(asked)];
        if (!entries) throw new HttpError(404, unknownCompany);
        const data = viewSnapshot(entries, { ...dictionary, lang });
        const ETag = tagOf(JSON.stringify(data, leaveOut));
        // A snapshot whose `ETag` is in the header `If-None-Match` is free, since the client already has the snapshot.
        const isFree = isKnown(request, ETag);
        const { identifier_type = 'company', identifier_value, company_ref } = asked;
        const description = `Snapshot of ${identifier_type} ${company_ref ?? identifier_value}`;
        const amount = isFree ? 0 : SNAPSHOT_CREDITS;
        const charged = await charge({ account_id, amount, description, claim }, tx);
        if (isFree) throw new HttpError(304, { message: 'Not Modified' }, { ETag, ...charged });
        const text = writeSuccess(JSON.stringify(data), { fetched_at: formatTimestamp(now()) });
        return { body: { text }, headers: { ...charged, ETag } };
      };
      const key = readIdempotencyKey(request);
      const operation = { account_id, name: 'snapshot', key, request: body, now: now() };
      const answer = key === undefined ? await take() : await answerOnce(db, operation, take);
      response.set(answer.headers ?? {});
      return answer.body.text;
    },
  );
}
