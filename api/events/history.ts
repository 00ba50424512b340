import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../auth/authenticate.ts';
import type { Language } from '../../sql/words/message.ts';
import {
  companyRef,
  companyStatus,
  identifierValue,
  unknownCompany,
  numberCheck,
  pairedIdentifiers,
  unknownCompanyErrors,
} from '../companies/identifier.ts';
import { identifierType } from '../dictionaries/names.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { limits } from '../figures.ts';
import type { Context } from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import { type Paging, pagingFields, skippedBy, viewPageMeta } from '../http/paging.ts';
import { formatTimestamp } from '../http/timestamp.ts';
import { common, event, langField, numberFields, pageMeta, status, withWords } from './event.ts';
import examples from './examples.json' with { type: 'json' };

const historyMeta = z
  .strictObject({
    ...pageMeta.shape,
    ...numberFields,
    company_ref: z.string(),
    company_name: z.string().nullable(),
    company_status: companyStatus,
    country_code: z.string(),
    is_watched: z.boolean().meta({ description: '(+) Whether it is on the watch list.' }),
  })
  .meta({ id: 'HistoryMeta', description: 'Which page this is, of which company.' });

/** What the answers of both histories share. */
const answered = {
  answer: z.strictObject({
    status,
    data: z.strictObject({ events: z.array(event) }),
    meta: historyMeta,
  }),
  example: {
    status: 'success',
    data: { events: [examples.event] },
    meta: { ...examples.meta, ...examples.company, ...examples.history },
  },
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
 * A page of the events of a company, the newest first, their count, and what names the company today. The
 * key of the table finds the events of one company, whatever the registry holds.
 *
 * @param company_id as SQL; null is a 404
 */
async function readHistory(
  { readers, now }: Context,
  company_id: RawBuilder<unknown>,
  { caller: { account_id, snapshot_no }, lang, ...paging }: Asked,
) {
  const query = sql<Found>`
    select
        (
            select count(*)::int
            from registry.event
            where event.company_id = company.company_id
        ) as total,
        (
            select coalesce(json_agg(page), '[]')
            from (
                select
                    event.event_id as id,
                    event.event_type,
                    event.old_value,
                    event.new_value,
                    event.event_date,
                    event_type.severity
                from registry.event
                join registry.event_type on event_type.event_type = event.event_type
                where event.company_id = company.company_id
                order by event.event_date desc, event.event_id desc
                limit ${paging.per_page} offset ${skippedBy(paging)}
            ) as page
        ) as events,
        registry.primary_identifier(company),
        registry.identifier_type(company),
        company.company_id as company_ref,
        company.name as company_name,
        company.status as company_status,
        company.country_code
    from registry.company
    where company.company_id = (${company_id})
  `;
  const { rows } = await readers.read((one) => query.execute(one), snapshot_no);
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

function historyByNumber(options: Context): Endpoint {
  return endpoint(
    {
      ...common,
      ...answered,
      path: '/companies/events',
      summary: 'List the events of a company',
      description:
        'Its whole history, whether or not it is watched, the newest first. A company is also found by a number that it had before, unless another one has that number now; `meta` names it by its number of today. A page past the end is empty.',
      query: z
        .strictObject({
          identifier_type: identifierType,
          identifier_value: identifierValue,
          lang: langField,
          ...pagingFields,
        })
        .superRefine(...pairedIdentifiers),
      check: numberCheck(options),
    },
    ({ query: { identifier_type, identifier_value, ...asked }, caller }) => {
      const company_id = sql`select registry.find_company(${identifier_type}, ${identifier_value})`;
      return readHistory(options, company_id, { caller, ...asked });
    },
  );
}

function historyByReference(options: Context): Endpoint {
  return endpoint(
    {
      ...common,
      ...answered,
      path: '/companies/{company_ref}/events',
      summary: 'List the events of a company by its reference',
      description: `(+) As \`GET /companies/events\`, for a \`company_ref\` of another answer. A company that became one with another is found by both references; \`meta\` has the one of today. At most ${limits.histories.request_count} a minute and account, beyond that 429.`,
      limit: limits.histories,
      params: z.strictObject({ company_ref: companyRef }),
      query: z.strictObject({ lang: langField, ...pagingFields }),
    },
    ({ params, query, caller }) => {
      const company_id = sql`select registry.current_company(${params.company_ref})`;
      return readHistory(options, company_id, { caller, ...query });
    },
  );
}

export function historyEndpoints(options: Context): Endpoint[] {
  return [historyByNumber(options), historyByReference(options)];
}
