-- Queues the digest mails about the events of the night: selects the alerts of each account, and orders their events.

-- Holds one row per event in the digest mail of an account. The alert settings of a watch take precedence over the
-- settings of the account. `position` is the number of the event in the mail, the most severe event first. The table
-- stage.alert is analyzed, since the planner cannot estimate its number of rows.
create unlogged table stage.alert as
select
    watch.account_id, watch.reference, event.event_id, event_type.severity, severity.rank,
    row_number() over (
        partition by watch.account_id
        order by severity.rank desc, company.name collate "C", event.event_id
    ) as position
from stage.watched_event as event
join registry.event_type using (event_type)
join registry.severity using (severity)
join registry.company using (company_id)
join customer.watch using (company_id)
left join customer.alert_setting as shared using (account_id)
cross join lateral (
    select watch.alert_min_severity, watch.alert_event_classes, watch.alert_categories
    where watch.has_custom_settings and watch.alerts_enabled and watch.notify_via_email
    union all
    select shared.alert_min_severity, shared.alert_event_classes, shared.alert_categories
    where
        not watch.has_custom_settings and shared.alerts_enabled and shared.notify_via_email
) as setting (min_severity, event_classes, categories)
join registry.severity as threshold on threshold.severity = setting.min_severity
where
    watch.state = 'ready'
    and watch.account_id in (select watcher.account_id from stage.watcher)
    and severity.rank >= threshold.rank
    and (setting.event_classes is null or event_type.event_class = any(setting.event_classes))
    and (setting.categories is null or event_type.category = any(setting.categories));

analyze stage.alert;

-- Writes one mail per account, with the most severe events in full, and the counts of all events.
with described as materialized (
    -- Builds the description of an event once, even if several accounts watch its company.
    select
        event.event_id,
        jsonb_build_object(
            'company_ref', company.company_id::text,
            'company_name', company.name,
            'primary_identifier', registry.primary_identifier(company),
            'identifier_type', registry.identifier_type(company),
            'event_type', event.event_type,
            'severity', event_type.severity,
            -- A value is cut at 300 characters, since a long list does not fit into a mail.
            'old_value', left(event.old_value, 300),
            'new_value', left(event.new_value, 300)
        ) as description
    from stage.watched_event as event
    join registry.event_type using (event_type)
    join registry.company using (company_id)
    where event.event_id in (select alert.event_id from stage.alert)
),

digest as (
    select
        alert.account_id,
        jsonb_agg(
            described.description || jsonb_build_object('reference', alert.reference)
            order by alert.position
        ) as events
    from stage.alert
    join described using (event_id)
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

-- The key of customer.alert (0014_feed.sql) ensures that no event is mailed to an account twice.
insert into customer.alert (account_id, event_id, mail_id)
select
    alert.account_id,
    alert.event_id,
    mail.mail_id
from stage.alert
join mail using (account_id);
