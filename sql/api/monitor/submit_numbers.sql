-- Writes a submission of companies for the watch list of the account $1 at the time $2. The lists $3 (types), $4
-- (values) and $5 (client's references) give the items in order. A null type means that the value is a company's
-- reference (`company_ref`). Returns one row: the submission, the ids of its watches, and the ids of the new watches.
-- If the account already watches a submitted number whose company is still unknown, the submission uses this watch.
with submitted as materialized (
    select
        item.*,
        item.identifier_type is null
        and registry.find_company(null, item.identifier_value) is null as is_unknown
    from unnest($3::text[], $4::text[], $5::text[])
        with ordinality as item (identifier_type, identifier_value, reference, item_no)
),

awaited as (
    insert into customer.watch as watch (
        account_id, identifier_type, identifier_value, state, created_at
    )
    select $1::bigint, identifier_type, identifier_value, 'queued', $2::timestamptz
    from submitted
    where not is_unknown
    order by item_no
    -- This update changes no value: it only makes `returning` return the existing row.
    on conflict (account_id, identifier_type, identifier_value) where company_id is null
    do update set account_id = watch.account_id
    returning watch_id, identifier_type, identifier_value, xmax = 0 as is_new
),

submission as (
    insert into customer.submission (account_id, created_at)
    values ($1::bigint, $2)
    returning submission_id, submission_ref
),

item as (
    insert into customer.submission_item (
        submission_id, item_no, identifier_type, identifier_value, reference, watch_id, failure
    )
    select
        submission_id, item_no, submitted.identifier_type, submitted.identifier_value, reference, watch_id,
        case
            when is_unknown
                then jsonb_build_object('code', 'unknown_company', 'sentence', 'No company has this reference')
        end
    from submission
    cross join submitted
    left join awaited
        on awaited.identifier_value = submitted.identifier_value
        and awaited.identifier_type is not distinct from submitted.identifier_type
)

select
    submission_id, submission_ref,
    coalesce(array_agg(watch_id) filter (where watch_id is not null), '{}') as watch_ids,
    coalesce(array_agg(watch_id) filter (where is_new), '{}') as new_ids
from submission
left join awaited on true
group by submission_id, submission_ref
