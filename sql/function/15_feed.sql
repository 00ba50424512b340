-- Returns an event as one row of the feed of the account `reader_id`. A company without numbers shows the submitted
-- number.
create or replace function customer.feed_item(reader_id bigint, event_id bigint) returns table (
    id bigint, event_type text, old_value text, new_value text, event_date date, severity text,
    primary_identifier text, identifier_type text, company_name text, company_ref text,
    submitted_identifier text
)
language sql stable as $$
    select
        event.event_id, event.event_type, event.old_value, event.new_value, event.event_date,
        event_type.severity,
        coalesce(registry.primary_identifier(company), watch.identifier_value),
        coalesce(registry.identifier_type(company), watch.identifier_type),
        company.name,
        company.company_id::text,
        watch.identifier_value
    from registry.event
    join registry.event_type on event_type.event_type = event.event_type
    join registry.company on company.company_id = event.company_id
    left join customer.watch
        on watch.account_id = feed_item.reader_id
        and watch.company_id = company.company_id
    where event.event_id = feed_item.event_id;
$$;
