import { createHmac } from 'node:crypto';
import { getDomain } from 'tldts-icann';
import { sql } from 'kysely';
import { lockName, type Tx } from '../../sql/connection/kysely.ts';
import { day_ms } from '../../sql/process/durations.ts';
import { welcomeBonus } from '../figures/prices-and-bonus.ts';
import { grant } from '../wallet/ledger.ts';
import { mailboxOf, splitAddress } from './mail-address.ts';

/**
 * Returns the mailbox and the domain whose welcome bonuses are counted, and their hashes in `ended`. After an account
 * is deleted only these hashes are kept, so that its mailbox gets no second bonus.
 */
export function bonusKeysOf(secretKey: string, email: string) {
  const mailbox = mailboxOf(email);
  const [, host] = splitAddress(mailbox);
  const domain = getDomain(host) ?? host;
  const hashOf = (part: string) =>
    `hmac:${createHmac('sha256', secretKey).update(`welcome ${part}`).digest('hex')}`;
  return { mailbox, domain, ended: { mailbox: hashOf(mailbox), domain: hashOf(domain) } };
}

/** Records a welcome bonus. Returns false if the mailbox had one before, or the domain had 20 in the last 24 hours. */
export async function claimWelcomeBonus(
  tx: Tx,
  secretKey: string,
  { account_id, email }: Record<'account_id' | 'email', string>,
  now: Date,
) {
  const { mailbox, domain, ended } = bonusKeysOf(secretKey, email);
  await lockName(tx, `welcome ${domain}`);
  const { rows } = await sql`
    insert into customer.welcome_bonus (mailbox, domain, account_id, granted_at)
    select ${mailbox}, ${domain}, ${account_id}::bigint, ${now}::timestamptz
    where (
        select count(*)
        from customer.welcome_bonus
        where
            domain in (${domain}, ${ended.domain})
            and granted_at > ${new Date(now.getTime() - day_ms)}
    ) < ${welcomeBonus.mostOfDomain}
    and not exists (select from customer.welcome_bonus where mailbox = ${ended.mailbox})
    on conflict (mailbox) do nothing
    returning mailbox
  `.execute(tx);
  return rows.length > 0;
}

/** Adds the welcome bonus to the wallet of a new account. */
export async function addWelcomeBonus(tx: Tx, account_id: string, now: Date): Promise<void> {
  await grant(tx, {
    account_id,
    amount: welcomeBonus.credits,
    type: 'start',
    description: 'Welcome bonus',
    operation_key: 'welcome bonus',
    now,
  });
}
