-- Holds the limits and periods of the SQL functions, each with its unit and meaning. The limits of the programs are in
-- `pipeline/figures/` and `api/figures/`. The limit of each guard of a night is in its file of `sql/check/`.

-- Returns the number of rows up to which a guard is silent. In a small dump, few rows are already a large share.
create or replace function registry.guard_rows() returns integer
language sql immutable parallel safe
return 20;

-- Returns the number of attempts to send a mail. The pauses between twelve attempts span about 16 hours.
create or replace function customer.mail_attempts() returns integer
language sql immutable parallel safe
return 12;

-- Returns the pause after an attempt to send a mail: e, e², … seconds, at most e¹⁰ (six hours).
create or replace function customer.mail_pause(attempt_count integer) returns interval
language sql immutable parallel safe
return make_interval(secs => exp(least(attempt_count, 10)));

-- Returns the most events that a digest mail lists (nightly/6_notify/alert_digests.sql).
create or replace function customer.digest_events() returns integer
language sql immutable parallel safe
return 200;

-- Returns the most other names that an entry keeps.
create or replace function registry.most_names() returns integer
language sql immutable parallel safe
return 20;

-- Returns the most characters of another name; a longer name is cut.
create or replace function registry.name_length() returns integer
language sql immutable parallel safe
return 300;

-- Returns the number of days for which a queued watch waits for a registry to report its number.
create or replace function customer.watch_days() returns integer
language sql immutable parallel safe
return 7;

-- Returns the most items of a page; `perPage` of api/figures/sizes.ts is the same figure.
create or replace function registry.page_items() returns integer
language sql immutable parallel safe
return 100;

-- Returns the most events that one answer of a feed reads, with the events that its filter leaves out.
create or replace function registry.feed_scan() returns integer
language sql immutable parallel safe
return 10000;

-- Returns the number of days for which a settled submission to a watch list can be read.
create or replace function customer.submission_days() returns integer
language sql immutable parallel safe
return 30;

-- Returns the most days between the reports of two registries that count as one change of a company.
create or replace function registry.confirmation_days() returns integer
language sql immutable parallel safe
return 30;
