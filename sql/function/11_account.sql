-- Refuses to change or delete rows of the ledger (customer.wallet_transaction). Only the rows of an ended account may
-- be deleted, when the retention period of tax law is over.
create or replace function customer.refuse_change() returns trigger
language plpgsql as $$
begin
    if
        tg_op = 'DELETE'
        and exists (
            select from customer.account
            where account.account_id = old.account_id and account.ended_at is not null
        )
    then
        return old;
    end if;
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end;
$$;

create or replace trigger wallet_transaction_append_only
before update or delete on customer.wallet_transaction
for each row execute function customer.refuse_change();

create or replace trigger wallet_transaction_no_truncate
before truncate on customer.wallet_transaction
for each statement execute function customer.refuse_change();

-- Ends an account: deletes its data except the ledger, which stays without personal data until the worker deletes it
-- (sql/retention/erase_old.sql). Hashes of the mail address prevent a second welcome bonus for the address.
create or replace function customer.end_account(
    ended_id bigint,
    mailbox_hash text,
    domain_hash text,
    moment timestamptz
) returns void
language plpgsql as $$
begin
    -- Locks the account, as every change of watches must do first.
    perform customer.lock_accounts(array[ended_id]);

    update customer.account
    set email = account.user_ref, name = '', password_hash = '', ended_at = moment
    where account.account_id = ended_id;

    update customer.welcome_bonus
    set mailbox = mailbox_hash, domain = domain_hash, account_id = null
    where welcome_bonus.account_id = ended_id;

    delete from customer.token where token.account_id = ended_id;
    delete from customer.one_time_token where one_time_token.account_id = ended_id;
    delete from customer.mail where mail.account_id = ended_id;
    delete from customer.idempotent_answer where idempotent_answer.account_id = ended_id;
    delete from customer.alert_setting where alert_setting.account_id = ended_id;
    delete from customer.submission where submission.account_id = ended_id;
    delete from customer.webhook where webhook.account_id = ended_id;
    delete from customer.watch where watch.account_id = ended_id;
end;
$$;
