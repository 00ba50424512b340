-- Deletes the events of the companies $2 from the feed of the account $1, and from the counts of the feed.
with deleted as (
    delete from customer.feed
    where account_id = $1 and company_id = any($2::bigint[])
    returning event_date, event_type, company_id
),
counted as (
    select event_date, coalesce(event_type, '') as event_type, country_code, count(*) as event_count
    from deleted
    join registry.company using (company_id)
    group by event_date, country_code, grouping sets ((event_type), ())
)
merge into customer.feed_count as feed_count
using counted
    on feed_count.account_id = $1
    and feed_count.event_date = counted.event_date
    and feed_count.event_type = counted.event_type
    and feed_count.country_code = counted.country_code
when matched and feed_count.event_count = counted.event_count then delete
when matched then update set event_count = feed_count.event_count - counted.event_count
