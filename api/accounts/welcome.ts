import { sql } from 'kysely';
import type { Tx } from '../../sql/kysely.ts';
import { registeredDomainOf } from './free-mail.ts';
import { domainOf, mailboxOf } from './mail-address.ts';

const [dailyMaximum, day_ms] = [20, 86_400_000];

/**
 * Claims the welcome bonus of a mailbox, once. A registered domain gets 20 bonuses within 24 hours,
 * without an exception for mail providers, since registration refuses their addresses.
 *
 * @returns false when the mailbox has had its bonus, or the domain all of the day
 */
export async function claimWelcomeBonus(
  tx: Tx,
  { account_id, email, now }: { account_id: string; email: string; now: Date },
): Promise<boolean> {
  const mailbox = mailboxOf(email);
  const domain = registeredDomainOf(domainOf(mailbox));
  const bonus = sql.table('customer.welcome_bonus');
  // Serializes the claims of one domain.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`welcome ${domain}`}, 0))`.execute(tx);
  const { rows } = await sql`
    insert into ${bonus} (mailbox, domain, account_id, granted_at)
    select ${mailbox}, ${domain}, ${account_id}::bigint, ${now}::timestamptz
    where (
        select count(*)
        from ${bonus}
        where domain = ${domain} and granted_at > ${new Date(now.getTime() - day_ms)}
    ) < ${dailyMaximum}
    on conflict (mailbox) do nothing
    returning mailbox
  `.execute(tx);
  return rows.length > 0;
}
