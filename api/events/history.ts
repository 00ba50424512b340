import { z } from 'zod';
import { runPrepared } from '../../sql/connection/prepared.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { Language } from '../../sql/words/message.ts';
import {
  companyRef,
  companyStatus,
  identifierValue,
  unknownCompany,
  numberCheck,
  unknownCompanyErrors,
} from '../companies/identifier.ts';
import { identifierType } from '../dictionaries/names.ts';
import { answersStatus, model, text } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures.ts';
import type { Context } from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import { type Paging, pagingFields, skippedBy, viewPageMeta } from '../http/paging.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { common, event, langField, numberFields, pageMeta, withWords } from './event.ts';
import examples from './examples.json' with { type: 'json' };

const historyMeta = model('HistoryMeta', {
  ...pageMeta.shape,
  ...numberFields,
  company_ref: text,
  company_name: text.nullable(),
  company_status: companyStatus,
  country_code: text,
  is_watched: z.boolean(),
});

/** The parts of the description that both endpoints of histories share. */
const answered = {
  ...answersStatus(
    [z.strictObject({ events: z.array(event) }), { events: [examples.event] }],
    [historyMeta, { ...examples.meta, ...examples.company, ...examples.history }],
  ),
  errors: unknownCompanyErrors,
};

interface Asked extends Paging {
  caller: Caller;
  lang?: Language | undefined;
}

type Found = {
  total: number;
  events: z.output<typeof event>[];
  company_ref: string;
  identifier_type: string | null;
};

/**
 * Returns the answer with a page of the events of a company. Throws a 404 for an unknown company. `named` is the type
 * and value of a number, or null and a `company_ref`.
 */
async function readHistory(
  { readers, now }: Context,
  named: [identifier_type: string | null, value: string],
  { caller: { account_id, snapshot_no }, lang, ...paging }: Asked,
) {
  const values = [...named, paging.per_page, skippedBy(paging)];
  const rows = await readers.read(
    (one) => runPrepared<Found>(one, 'api/read_history.sql', values),
    snapshot_no,
  );
  if (!rows[0]) throw new HttpError(404, unknownCompany);
  const { total, events, ...company } = rows[0];
  const watches = await readers.readCustomer((db) =>
    db
      .selectFrom('customer.watch')
      .select('account_id')
      .where('account_id', '=', account_id)
      .where('company_id', '=', company.company_ref)
      .limit(1)
      .execute(),
  );
  const is_watched = watches.length > 0;
  const fetched_at = formatTimestamp(now());
  const meta = { ...viewPageMeta(paging, total), fetched_at, ...company, is_watched };
  return {
    status: 'success',
    data: { events: withWords(events, lang, () => company.identifier_type) },
    meta,
  };
}

const historyByNumber = endpoint(
  {
    ...common,
    ...answered,
    path: '/companies/events',
    summary: 'List the events of a company',
    query: z.strictObject({
      identifier_type: identifierType,
      identifier_value: identifierValue,
      lang: langField,
      ...pagingFields,
    }),
    check: numberCheck,
  },
  ({ query: { identifier_type, identifier_value, ...asked }, caller, options }) =>
    readHistory(options, [identifier_type, identifier_value], { caller, ...asked }),
);

const historyByReference = endpoint(
  {
    ...common,
    ...answered,
    path: '/companies/{company_ref}/events',
    summary: 'List the events of a company by its reference',
    description: `(+) As \`GET /companies/events\`, for a \`company_ref\` of another answer. A company that became one with another is found by both references; \`meta\` has the reference of today. At most ${limits.histories.request_count} a minute and account, beyond that 429.`,
    limit: limits.histories,
    params: z.strictObject({ company_ref: companyRef }),
    query: z.strictObject({ lang: langField, ...pagingFields }),
  },
  ({ params, query, caller, options }) =>
    readHistory(options, [null, params.company_ref], { caller, ...query }),
);

export const historyEndpoints = [historyByNumber, historyByReference];
