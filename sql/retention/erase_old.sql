-- Erases or deletes personal data whose retention period has ended. (`person.erase` of function/21_hidden_entry.sql
-- erases data after a request or objection.) One run handles at most $4 rows of each kind, and $4 / 1000 ended
-- accounts. Due are rejected rows older than $1, network addresses older than $2, ledgers of accounts that ended before
-- $3, feeds of ended accounts, and webhook deliveries older than $5. The periods are in
-- pipeline/figures/retention-periods.ts. Returns one row: whether more data may be due.
with reject as (
    update registry.reject
    set raw = ''
    where reject.ctid = any(
        array(
            select old.ctid
            from registry.run
            join registry.reject as old using (run_id)
            where run.finished_at < $1::timestamptz and old.raw <> ''
            limit $4::integer
        )
    )
    returning true
),

token as (
    update customer.token
    set last_used_ip = null
    where token.token_id = any(
        array(
            select old.token_id
            from customer.token as old
            where old.last_used_at < $2::timestamptz and old.last_used_ip is not null
            limit $4
            for update skip locked
        )
    )
    returning true
),

-- Feeds of ended accounts are deleted here, because the request that ends an account has no time for so many rows.
feed as (
    delete from customer.feed
    where feed.ctid = any(
        array(
            select old.ctid
            from customer.account
            join customer.feed as old using (account_id)
            where account.ended_at is not null
            limit $4
        )
    )
    returning true
),

webhook_delivery as (
    delete from customer.webhook_delivery
    where webhook_delivery.delivery_id = any(
        array(
            select old.delivery_id
            from customer.webhook_delivery as old
            where old.started_at < $5::timestamptz
            limit $4
        )
    )
    returning true
),

-- Deletes accounts that were never confirmed and whose token and mail are deleted: nobody can confirm them any more.
unopened as (
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
            limit $4
            for update skip locked
        )
    )
    returning true
),

ended as materialized (
    select account.account_id
    from customer.account
    where account.ended_at < $3::timestamptz
    limit $4 / 1000
),

payment as (
    delete from customer.payment using ended where payment.account_id = ended.account_id
),

wallet_transaction as (
    delete from customer.wallet_transaction
    using ended
    where wallet_transaction.account_id = ended.account_id
    returning true
),

wallet as (
    delete from customer.wallet using ended where wallet.account_id = ended.account_id
),

-- Deletes accounts after their transactions, whose trigger checks whether the account has ended.
account as (
    delete from customer.account
    using ended
    where
        account.account_id = ended.account_id
        and (select count(*) from wallet_transaction) >= 0
)

select
    $4 in (
        (select count(*) from reject), (select count(*) from token), (select count(*) from feed),
        (select count(*) from webhook_delivery), (select count(*) from unopened), 1000 * (select count(*) from ended)
    ) as is_full
