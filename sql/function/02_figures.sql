-- Holds the limits and periods of the SQL functions, each with its unit and meaning. The limits of the TypeScript code
-- are in `pipeline/figures/` and `api/figures/`, the limits of guards (checks of a dump) in `sql/check/`.

-- Returns the number of affected rows up to which a guard (check of a dump) accepts any dump: in a small dump, a few
-- affected rows are already a large share of all rows.
create or replace function registry.guard_rows() returns integer
language sql immutable parallel safe return 20;

-- Returns the number of attempts to send a mail; the pauses between twelve attempts add up to about 16 hours.
create or replace function customer.mail_attempts() returns integer
language sql immutable parallel safe return 12;

-- Returns the pause after the n-th failed attempt to send a mail: eⁿ seconds, at most e¹⁰ seconds (six hours).
create or replace function customer.mail_pause(attempt_count integer) returns interval
language sql immutable parallel safe return make_interval(secs => exp(least(attempt_count, 10)));

-- Returns the largest number of events that a digest mail lists (nightly/6_notify/alert_digests.sql).
create or replace function customer.digest_events() returns integer
language sql immutable parallel safe return 200;

-- Returns the largest number of names that an entry keeps besides its main name.
create or replace function registry.most_names() returns integer
language sql immutable parallel safe return 20;

-- Returns the largest length of an additional name of an entry, in characters; a longer name is cut.
create or replace function registry.name_length() returns integer
language sql immutable parallel safe return 300;

-- Returns the number of days after which a queued watch of an unknown number fails if no registry reports the number.
create or replace function customer.watch_days() returns integer
language sql immutable parallel safe return 7;

-- Returns the largest number of items on a page of a list; `perPage` of api/figures/sizes.ts has the same value.
create or replace function registry.page_items() returns integer
language sql immutable parallel safe return 100;

-- Returns the largest number of events that one request of a feed reads, including events that its filter excludes.
create or replace function registry.feed_scan() returns integer
language sql immutable parallel safe return 10000;

-- Returns the number of days for which the result of a submission to a watch list can be read.
create or replace function customer.submission_days() returns integer
language sql immutable parallel safe return 30;

-- Returns the largest number of days between two registries' reports that count as one change of a company.
create or replace function registry.confirmation_days() returns integer
language sql immutable parallel safe return 30;
