-- Returns one row: the reference of the account $1, and whether the account's settings ask for any alerts by mail.
select
    account.user_ref,
    exists (
        select
        from (
            select account_id, alerts_enabled, notify_via_email from customer.alert_setting
            union all
            select account_id, alerts_enabled, notify_via_email from customer.watch
        ) as setting
        where setting.account_id = $1 and setting.alerts_enabled and setting.notify_via_email
    ) as is_wanted
from customer.account
where account.account_id = $1
