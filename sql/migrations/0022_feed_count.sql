-- Drops the stored counts of a feed's events by day, because api/read_feed_page.sql counts the events itself.
drop table customer.feed_count;

-- An API process of release 2.0.0 reads this view until its restart, and subtracts deleted rows from the counts when it
-- removes a watched company; the trigger ignores this, because the view counts only the remaining rows.
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
-- With `grouping sets`, Postgres would count the rows of all accounts even if a query selects one account.
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
