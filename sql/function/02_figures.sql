-- Holds the figures of the SQL functions, each with its unit and meaning. `pipeline/figures.ts` and `api/figures.ts`
-- hold the figures of the programs.

-- Returns the number of attempts to send a mail. The pauses between twelve attempts span about 16 hours.
create or replace function customer.mail_attempts() returns integer
language sql immutable parallel safe
return 12;

-- Returns the most events that a digest mail lists (nightly/6_notify/alerts.sql).
create or replace function customer.digest_events() returns integer
language sql immutable parallel safe
return 200;

-- Returns the number of days for which a queued watch waits for a registry to report its number.
create or replace function customer.watch_days() returns integer
language sql immutable parallel safe
return 7;
