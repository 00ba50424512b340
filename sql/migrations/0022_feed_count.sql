-- Drops the counts by day, because api/read_feed_page.sql counts the rows of the feed.
drop table customer.feed_count;

-- The API of release 2.0.0 reads this view until it is restarted. When that API removes a company from a watch list, it
-- subtracts the deleted rows; the trigger ignores the subtraction, because the view counts only the remaining rows.
create view customer.feed_count as
select
    feed.account_id,
    feed.event_date,
    feed.event_type,
    company.country_code,
    count(*) as event_count
from customer.feed
join registry.company using (company_id)
group by feed.account_id, feed.event_date, feed.event_type, company.country_code
union all
-- `grouping sets` would count the rows of all accounts for each answer to one account.
select
    feed.account_id,
    feed.event_date,
    '' as event_type,
    company.country_code,
    count(*) as event_count
from customer.feed
join registry.company using (company_id)
group by feed.account_id, feed.event_date, company.country_code;

create function customer.keep_feed_count() returns trigger
language plpgsql as 'begin return null; end';

create trigger feed_count_kept
instead of update or delete on customer.feed_count
for each row execute function customer.keep_feed_count();
