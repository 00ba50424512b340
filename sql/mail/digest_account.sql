-- Returns one row: the reference of the account $1, and whether any of its settings still asks for alerts by mail.
select
    account.user_ref,
    exists (
        select
        from customer.alert_setting as setting
        where
            setting.account_id = account.account_id
            and setting.alerts_enabled
            and setting.notify_via_email
    )
    or exists (
        select
        from customer.watch
        where
            watch.account_id = account.account_id
            and watch.alerts_enabled
            and watch.notify_via_email
    ) as is_wanted
from customer.account
where account.account_id = $1
