-- Returns one row per metric and labels, of registries, jobs, mails, webhooks or credits. registry.ts has help texts.
with last_run as (
    select distinct on (run.source) run.*, registry.state_of(run) as state_now
    from registry.run
    where run.state <> 'imported'
    order by run.source, run.run_id desc
)

select figure.name, json_build_object('source', source) as labels, figure.value
from registry.newest_snapshot
cross join lateral (
    select
        'registry_snapshot_age_seconds' as name,
        extract(epoch from now() - dump_date::timestamp at time zone time_zone) as value
    union all
    select 'registry_snapshot_entries', entry_count
) as figure
where dump_date is not null

union all
select 'registry_run_state', json_build_object('source', source, 'state', state_now), 1
from last_run

union all
select 'registry_run_seconds', json_build_object('source', source, 'step', step.name), step.seconds
from last_run
cross join lateral (
    select 'total', extract(epoch from coalesce(finished_at, now()) - started_at)
    union all
    select key, value::numeric from json_each_text(step_seconds)
) as step (name, seconds)

union all
select 'registry_run_rows', json_build_object('source', source, 'kind', figure.kind), figure.row_count
from last_run
cross join lateral (
    values
    ('read', read_count),
    ('accepted', accepted_count),
    ('rejected', rejected_count),
    ('new', new_count),
    ('updated', updated_count),
    ('deleted', deleted_count)
) as figure (kind, row_count)

union all
select 'registry_refused_in_a_row', json_build_object('source', source), refused_nights
from registry.newest_snapshot
where source in (select source from last_run)

union all
select 'registry_jobs', json_build_object('task', task, 'state', state), count(*)
from customer.job
group by task, state

union all
select
    'registry_job_wait_seconds',
    json_build_object('task', task),
    greatest(0, extract(epoch from now() - min(due_at)))
from customer.job
where state = 'waiting'
group by task

union all
select 'registry_import_accounts', '{}', count(*)
from customer.import_queue

union all
select
    'registry_import_wait_seconds',
    json_build_object('quantile', asked.quantile::text),
    coalesce(
        percentile_disc(asked.quantile) within group (
            order by greatest(0, extract(epoch from now() - due_since))
        ) filter (where due_since is not null),
        0
    )
from unnest(array[0.5, 0.9, 1]) as asked (quantile)
left join customer.import_queue on true
group by asked.quantile

union all
select 'registry_mails', json_build_object('state', state), count(*)
from customer.mail
where state = 'queued' or (state = 'failed' and ended_at > now() - interval '7 days')
group by state

union all
select 'registry_mail_wait_seconds', '{}', coalesce(extract(epoch from now() - min(created_at)), 0)
from customer.mail
where state = 'queued'

union all
select 'registry_webhooks', json_build_object('state', endpoint.state), count(*)
from (
    select case when state = 'active' and failing_since is not null then 'failing' else state end as state
    from customer.webhook
) as endpoint
group by endpoint.state

union all
select 'registry_credits_sold_total', '{}', coalesce(sum(total_purchased), 0)
from customer.wallet

union all
select
    'registry_credits_spent_total',
    '{}',
    -- Credits that a refund or a dispute withdrew do not count as spent, because they may be restored.
    coalesce(sum(coalesce(bonus.amount, 0) + wallet.total_purchased - wallet.balance), 0)
    - (select coalesce(sum(withdrawn_credits), 0) from customer.payment where withdrawn_credits > 0)
from customer.wallet
left join customer.wallet_transaction as bonus
    on bonus.account_id = wallet.account_id
    and bonus.transaction_no = 1
    and bonus.type = 'start';
