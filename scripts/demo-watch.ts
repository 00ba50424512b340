import type { Database } from '../sql/database.ts';
import type { DemoAccount } from './demo-account.ts';

/** Identifiers that one request may add. */
const BATCH = 100;

/**
 * Makes the demo account watch the companies that are known now, with alerts by mail: the nights that
 * follow fill its feed. Does nothing where the account watches a company already.
 *
 * @param url where the API listens
 */
export async function watchCompanies(
  db: Database,
  url: string,
  account: DemoAccount,
): Promise<void> {
  const { rows } = await db.pool.query<{ identifier_type: string; values: string[] }>(
    `select identifier.type as identifier_type, array_agg(identifier.value) as values
     from (
       select nip, regon9, krs
       from analyst.company
       where coalesce(nip, regon9, krs) is not null
       order by company_id
       limit $1
     ) as company
     cross join lateral (
       select
         case when nip is not null then 'NIP' when regon9 is not null then 'REGON9' else 'KRS' end,
         coalesce(nip, regon9, krs)
     ) as identifier (type, value)
     where not exists (
       select from customer.watch
       join customer.account using (account_id)
       where account.email = $2
     )
     group by identifier.type`,
    [BATCH, account.email],
  );
  for (const { identifier_type, values } of rows) {
    await send(url, account, 'POST', 'companies/add', {
      identifier_type,
      identifier_value: values,
    });
  }
  if (rows.length === 0) return;
  await send(url, account, 'PATCH', 'watchlist/alerts', {
    alert_min_severity: 'notice',
    alerts_enabled: true,
    notify_via_email: true,
  });
}

async function send(
  url: string,
  { master_token }: DemoAccount,
  method: string,
  path: string,
  body: object,
): Promise<void> {
  const answer = await fetch(`${url}/api/v1/${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${master_token}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
}
