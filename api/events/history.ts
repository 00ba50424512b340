import { z } from 'zod';
import { runPrepared } from '../../sql/connection/prepared.ts';
import { companyRef, companyStatus } from '../companies/identifier.ts';
import {
  type CompanyName,
  nameOf,
  namingOne,
  unknownCompany,
  unknownCompanyErrors,
} from '../companies/company-of-request.ts';
import { numberCheck } from '../companies/number-check.ts';
import { findWatched } from '../companies/lookup.ts';
import { answersStatus, model, text } from '../endpoint/answers.ts';
import { type Call, endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures/rate-limits.ts';
import { HttpError } from '../http/errors.ts';
import { pagingFields, skippedBy, viewPageMeta } from '../http/page-numbers.ts';
import { common, event, langField, numberFields, pageMeta, withWords } from './event-fields.ts';
import { filterFields, resolveFeedFilter } from './filter.ts';
import { answerTagged, tagged } from './tagged-answer.ts';

const historyMeta = model('HistoryMeta', {
  ...pageMeta.shape,
  ...numberFields,
  company_ref: text,
  company_name: text.nullable(),
  company_status: companyStatus,
  country_code: text,
  is_watched: z.boolean(),
});

/** The part of an endpoint's description that is equal for both endpoints of event histories. */
const answered = {
  headers: tagged.headers,
  ...answersStatus(z.strictObject({ events: z.array(event) }), historyMeta),
  errors: { ...tagged.errors, ...unknownCompanyErrors },
};

const queryFields = { ...filterFields, lang: langField, ...pagingFields };

/** The parts of a request that `readHistory` needs; the query may have further fields. */
type Asked = Pick<
  Call<'token', never, z.output<z.ZodObject<typeof queryFields>>, never>,
  'query' | 'caller' | 'response' | 'options'
>;

type Found = {
  total: number;
  events: z.output<typeof event>[];
  company_ref: string;
  identifier_type: string | null;
};

/** Returns the body of an answer with one page of a company's events. Throws a 404 for an unknown company. */
async function readHistory(
  { query, caller: { account_id, snapshot_no }, response, options: { readers, now } }: Asked,
  named: CompanyName,
) {
  const filter = await resolveFeedFilter(readers.db, query);
  const values = [...named, query.per_page, skippedBy(query), JSON.stringify(filter)];
  const rows = await readers.read(
    (one) => runPrepared<Found>(one, 'api/read_history.sql', values),
    snapshot_no,
  );
  if (!rows[0]) throw new HttpError(404, unknownCompany);
  const { total, events, ...company } = rows[0];
  const refs = [company.company_ref];
  const watched = await readers.readCustomer((db) => findWatched(db, account_id, refs));
  const is_watched = watched.size > 0;
  const meta = { ...viewPageMeta(query, total), ...company, is_watched };
  const data = { events: withWords(events, query.lang, () => company.identifier_type) };
  return answerTagged(response, JSON.stringify(data), meta, now());
}

const historyByNumber = endpoint(
  {
    ...common,
    ...answered,
    path: '/companies/events',
    summary: 'List the events of a company',
    query: namingOne(queryFields),
    check: numberCheck,
  },
  async (call) => {
    const { query, caller, options } = call;
    const isByReference = query.company_ref !== undefined;
    if (isByReference) await options.limiter.count(limits.histories, caller.account_id);
    return readHistory(call, nameOf(query));
  },
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
    query: z.strictObject(queryFields),
  },
  (call) => readHistory(call, [null, call.params.company_ref]),
);

export const historyEndpoints = [historyByNumber, historyByReference];
