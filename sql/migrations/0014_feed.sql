-- One row per account and event of a company that the account watched that night. The night writes the rows, so that
-- reading a feed costs the same for ten and for a hundred thousand companies. The table repeats the columns of the
-- event by which a feed is filtered. The rows of a company are deleted when the account removes the company from its
-- watch list.
create table customer.feed (
    account_id bigint not null,
    event_id bigint not null,
    company_id bigint not null,
    event_date date not null,
    event_type text not null,
    constraint feed_pkey primary key (account_id, event_id)
);

create index feed_company_idx on customer.feed (account_id, company_id);
-- Both indexes serve the pages of a feed, with or without an event type. Days before a page are skipped by their
-- counts; other days are read from the index in the order of display.
create index feed_page_idx on customer.feed (account_id, event_date, event_id);
create index feed_type_idx on customer.feed (account_id, event_type, event_date, event_id);

-- One row per account, day, event type and country, with the number of rows of the feed, for the totals of its pages.
-- The event type '' counts all rows of the day. The key keeps the counts of one event type together.
create table customer.feed_count (
    account_id bigint not null,
    event_date date not null,
    event_type text not null,
    event_count bigint not null,
    country_code text not null,
    constraint feed_count_pkey primary key (account_id, event_type, event_date, country_code)
);

-- One row per account and event of an alert, so that an alert is sent once. A row is deleted with its mail.
create table customer.alert (
    account_id bigint not null,
    event_id bigint not null,
    mail_id bigint not null references customer.mail on delete cascade,
    constraint alert_pkey primary key (account_id, event_id)
);

create index alert_mail_idx on customer.alert (mail_id);
