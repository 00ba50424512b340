-- A page of a feed is found by counting: days are skipped by their counts, and read from an index in
-- the order in which they are shown, with or without an event type.
create index feed_page_idx on customer.feed (account_id, event_date, event_id);
create index feed_type_idx on customer.feed (account_id, event_type, event_date, event_id);

-- The counts of one event type lie together.
alter table customer.feed_count
drop constraint feed_count_pkey,
add constraint feed_count_pkey primary key (account_id, event_type, event_date);

-- One row per account and day: the sum of its counts over all event types, kept by triggers.
create table customer.feed_day (
    account_id bigint not null,
    event_date date not null,
    event_count bigint not null,
    constraint feed_day_pkey primary key (account_id, event_date)
);

insert into customer.feed_day (account_id, event_date, event_count)
select
    feed_count.account_id,
    feed_count.event_date,
    sum(feed_count.event_count)
from customer.feed_count
group by feed_count.account_id, feed_count.event_date;

create function customer.sum_feed_count() returns trigger
language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        insert into customer.feed_day as day (account_id, event_date, event_count)
        select before.account_id, before.event_date, -sum(before.event_count)
        from before
        group by before.account_id, before.event_date
        order by before.account_id, before.event_date
        on conflict on constraint feed_day_pkey do update
        set event_count = day.event_count + excluded.event_count;
    end if;
    if tg_op <> 'DELETE' then
        insert into customer.feed_day as day (account_id, event_date, event_count)
        select after.account_id, after.event_date, sum(after.event_count)
        from after
        group by after.account_id, after.event_date
        order by after.account_id, after.event_date
        on conflict on constraint feed_day_pkey do update
        set event_count = day.event_count + excluded.event_count;
    end if;
    return null;
end;
$$;

create trigger feed_count_insert
after insert on customer.feed_count
referencing new table as after
for each statement execute function customer.sum_feed_count();

create trigger feed_count_update
after update on customer.feed_count
referencing old table as before new table as after
for each statement execute function customer.sum_feed_count();

create trigger feed_count_delete
after delete on customer.feed_count
referencing old table as before
for each statement execute function customer.sum_feed_count();

-- A night may count events for a large part of a list.
alter table customer.watch set (fillfactor = 75);
