-- Queues the alert mails about the events of the night. Intermediate results are analyzed tables, since the
-- planner cannot estimate the number of alerts.

-- One row per watch that asks for alerts by mail and whose company has events tonight. Settings of the watch
-- replace the settings of the account.
create unlogged table stage.alert_watch as
select watch.account_id, watch.company_id, watch.reference, setting.*
from customer.watch
left join customer.alert_setting as shared using (account_id)
cross join lateral (
    select watch.alert_min_severity, watch.alert_event_classes, watch.alert_categories
    where watch.has_custom_settings and watch.alerts_enabled and watch.notify_via_email
    union all
    select shared.alert_min_severity, shared.alert_event_classes, shared.alert_categories
    where
        not watch.has_custom_settings and shared.alerts_enabled and shared.notify_via_email
) as setting (min_severity, event_classes, categories)
where
    watch.state = 'ready'
    and watch.company_id in (select watched_event.company_id from stage.watched_event)
    and watch.account_id in (select watcher.account_id from stage.watcher);

analyze stage.alert_watch;

-- One row per event of the night whose company is watched, with its description in the mail. The table is empty
-- if no account asks for alerts.
create unlogged table stage.alert_event as
select
    event.event_id, event.company_id, event_type.severity, severity.rank, event_type.event_class,
    event_type.category, company.name as company_name,
    jsonb_build_object(
        'company_ref', company.company_id::text,
        'company_name', company.name,
        'primary_identifier', registry.primary_identifier(company),
        'identifier_type', registry.identifier_type(company),
        'event_type', event.event_type,
        'severity', event_type.severity,
        -- A value is cut at 300 characters: a list may be too long for a mail.
        'old_value', left(event.old_value, 300),
        'new_value', left(event.new_value, 300)
    ) as description
from stage.watched_event as event
join registry.company using (company_id)
join registry.event_type using (event_type)
join registry.severity using (severity)
where exists (select from stage.alert_watch);

analyze stage.alert_event;

-- One row per account and event of its mail. position: the number of the event in the mail, the worst event first.
create unlogged table stage.alert as
select
    alert_watch.account_id, alert_watch.reference, alert_event.event_id, alert_event.severity,
    alert_event.rank,
    row_number() over (
        partition by alert_watch.account_id
        order by
            alert_event.rank desc, alert_event.company_name collate "C", alert_event.event_id
    ) as position
from stage.alert_event
join stage.alert_watch using (company_id)
join registry.severity as threshold on threshold.severity = alert_watch.min_severity
where
    alert_event.rank >= threshold.rank
    and (
        alert_watch.event_classes is null
        or alert_event.event_class = any(alert_watch.event_classes)
    )
    and (alert_watch.categories is null or alert_event.category = any(alert_watch.categories));

analyze stage.alert;

-- Writes one mail per account, with the worst events in full, and the counts of all events. The feed has
-- every event.
with digest as (
    select
        alert.account_id,
        jsonb_agg(
            alert_event.description || jsonb_build_object('reference', alert.reference)
            order by alert.position
        ) as events
    from stage.alert
    join stage.alert_event using (event_id)
    where alert.position <= customer.digest_events()
    group by alert.account_id
),

total as (
    select
        severity_total.account_id,
        jsonb_agg(
            jsonb_build_object('severity', severity, 'event_count', event_count) order by rank desc
        ) as totals
    from (
        select account_id, severity, rank, count(*) as event_count
        from stage.alert
        group by account_id, severity, rank
    ) as severity_total
    group by severity_total.account_id
),

mail as (
    insert into customer.mail (mail_key, account_id, recipient, template, data, created_at)
    select
        'digest:' || night.run_id || ':' || account.account_id,
        account.account_id,
        account.email,
        'digest',
        jsonb_build_object(
            'account_id', account.account_id,
            'user_name', account.name,
            'source', night.source,
            'event_date', night.dump_date,
            'totals', total.totals,
            'events', digest.events
        ),
        night.published_at
    from stage.night
    cross join digest
    join total using (account_id)
    join customer.account using (account_id)
    order by account.account_id
    returning mail.account_id, mail.mail_id
)

insert into customer.alert (account_id, event_id, mail_id)
select
    alert.account_id,
    alert.event_id,
    mail.mail_id
from stage.alert
join mail using (account_id);
