-- What personal data are erased after their period, by the worker, without a request.

-- Erases and deletes what is older than its period, at most so many rows of each kind. Returns whether
-- there may be more.
create or replace function person.retain(
    rejects_before timestamptz,
    addresses_before timestamptz,
    ledgers_before timestamptz,
    batch integer
) returns boolean
language plpgsql as $$
declare
    row_count integer;
    is_full boolean := false;
    ended_ids bigint[];
begin
    update registry.reject
    set raw = ''
    where reject.ctid = any(
        array(
            select old.ctid
            from registry.run
            join registry.reject as old using (run_id)
            where run.finished_at < rejects_before and old.raw <> ''
            limit batch
        )
    );
    get diagnostics row_count = row_count;
    is_full := is_full or row_count = batch;

    update customer.token
    set last_used_ip = null
    where token.token_id = any(
        array(
            select old.token_id
            from customer.token as old
            where old.last_used_at < addresses_before and old.last_used_ip is not null
            limit batch
            for update skip locked
        )
    );
    get diagnostics row_count = row_count;
    is_full := is_full or row_count = batch;

    -- A feed may have more rows than a request of the API has time to delete.
    delete from customer.feed
    where feed.ctid = any(
        array(
            select old.ctid
            from customer.account
            join customer.feed as old using (account_id)
            where account.ended_at is not null
            limit batch
        )
    );
    get diagnostics row_count = row_count;
    is_full := is_full or row_count = batch;
    delete from customer.feed_count
    using customer.account
    where account.ended_at is not null and feed_count.account_id = account.account_id;

    -- A registration whose token and mail are gone can no longer be opened.
    delete from customer.account
    where account.account_id = any(
        array(
            select old.account_id
            from customer.account as old
            where
                old.initialized_at is null
                and not exists (
                    select from customer.one_time_token
                    where one_time_token.account_id = old.account_id
                )
                and not exists (select from customer.mail where mail.account_id = old.account_id)
            limit batch
            for update skip locked
        )
    );
    get diagnostics row_count = row_count;
    is_full := is_full or row_count = batch;

    ended_ids := array(
        select account.account_id from customer.account
        where account.ended_at < ledgers_before
        limit batch / 1000
    );
    delete from customer.payment where payment.account_id = any(ended_ids);
    -- One statement, since wallet and transactions refer to each other.
    with wallet_transaction as (
        delete from customer.wallet_transaction
        where wallet_transaction.account_id = any(ended_ids)
    )

    delete from customer.wallet where wallet.account_id = any(ended_ids);
    delete from customer.account where account.account_id = any(ended_ids);
    return is_full or cardinality(ended_ids) = batch / 1000;
end;
$$;

-- Withdraws natural persons whose entries have been closed since before a day. Returns how many.
create or replace function person.withdraw_closed(closed_before date, batch integer) returns integer
language plpgsql as $$
declare
    entry_ids constant bigint[] := array(
        select entry.entry_id
        from registry.entry
        where
            entry.entity_type = 'NATURAL'
            and entry.status = 'DELETED'
            and entry.withdrawn_until is distinct from 'infinity'
            and coalesce(entry.gone_date, least(entry.end_date, entry.struck_off_date)) < closed_before
        limit batch
    );
begin
    if cardinality(entry_ids) > 0 then
        perform registry.withdraw(entry_ids);
        perform registry.end_publication();
    end if;
    return cardinality(entry_ids);
end;
$$;
