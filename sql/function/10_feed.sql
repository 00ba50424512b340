-- One row per account and event: what a feed of the account says of the event. A company that has lost
-- all its numbers has the submitted one.
create or replace view customer.feed_item as
select
    account.account_id,
    event.event_id,
    event.event_id as id,
    event.event_type,
    event.old_value,
    event.new_value,
    event.event_date,
    event_type.severity,
    coalesce(
        company.nip, company.regon9, company.krs, watch.identifier_value
    ) as primary_identifier,
    case
        when company.nip is not null then 'NIP'
        when company.regon9 is not null then 'REGON9'
        when company.krs is not null then 'KRS'
        else watch.identifier_type
    end as identifier_type,
    company.name as company_name,
    company.company_id::text as company_ref,
    watch.identifier_value as submitted_identifier
from customer.account
cross join registry.event
join registry.event_type on event_type.event_type = event.event_type
join registry.company on company.company_id = event.company_id
left join customer.watch
    on watch.account_id = account.account_id
    and watch.company_id = company.company_id;
