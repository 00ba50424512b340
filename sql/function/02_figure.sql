-- The figures of the functions, each with its unit and meaning. `pipeline/figures.ts` and `api/figures.ts` have those
-- of the programs.

-- Attempts to send a mail; the pauses between twelve of them span about 16 hours.
create or replace function customer.mail_attempts() returns integer
language sql immutable parallel safe
return 12;

-- Days for which a queued watch waits for a registry to report its number.
create or replace function customer.watch_days() returns integer
language sql immutable parallel safe
return 7;
