-- The events of a feed are counted by country too, so that a page of one country costs as much as any. All that
-- was counted before is of Poland.
alter table customer.feed_count
add column country_code text not null default 'PL',
drop constraint feed_count_pkey,
add constraint feed_count_pkey primary key (account_id, event_type, event_date, country_code);
alter table customer.feed_count alter column country_code drop default;
