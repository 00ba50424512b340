-- Refuses transactions after the last transaction that their wallet names. The trigger runs once per statement, for
-- all transactions that the statement adds.
create or replace function customer.require_last_transactions() returns trigger
language plpgsql as $$
declare
    wrong_id bigint := (
        select added.account_id
        from added
        join customer.wallet using (account_id)
        where added.transaction_no > wallet.last_transaction_no
        limit 1
    );
begin
    if wrong_id is not null then
        raise exception 'wallet % has transactions after its last one', wrong_id
        using errcode = 'check_violation', constraint = 'wallet_last_transaction_is_last';
    end if;
    return null;
end;
$$;

create or replace trigger wallet_last_transaction_is_last
after insert on customer.wallet_transaction
referencing new table as added
for each statement execute function customer.require_last_transactions();

-- Refuses a lower last transaction of a wallet while later transactions exist.
create or replace function customer.require_last_transaction() returns trigger
language plpgsql as $$
begin
    if exists (
        select
        from customer.wallet
        join customer.wallet_transaction as later
            on later.account_id = wallet.account_id
            and later.transaction_no > wallet.last_transaction_no
        where wallet.account_id = new.account_id
    ) then
        raise exception 'wallet % has transactions after its last one', new.account_id
        using errcode = 'check_violation', constraint = 'wallet_last_transaction_is_last';
    end if;
    return null;
end;
$$;

create or replace trigger wallet_last_transaction_is_last
after update on customer.wallet
for each row when (new.last_transaction_no < old.last_transaction_no)
execute function customer.require_last_transaction();

-- Refuses to change or delete rows of the ledger. The ledger of an ended account is deleted as a whole, when the
-- period of tax law is over.
create or replace function customer.refuse_change() returns trigger
language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        if exists (
            select from customer.account
            where account.account_id = old.account_id and account.ended_at is not null
        ) then
            return old;
        end if;
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
