-- Returns the status of an entry on a day: DELETED once its end is reached, else the status that the registry declares.
-- A suspension counts from its own date on: before that date, the entry is ACTIVE. Each source's map.sql sets the
-- declared status; if the registry states none, it compares the dates of suspension and resumption.
create or replace function registry.status_on(
    dump_date date,
    declared_status text,
    suspension_date date,
    end_date date,
    gone_date date
) returns text
language sql immutable parallel safe
return case
    when gone_date is not null or end_date <= dump_date then 'DELETED'
    when declared_status = 'SUSPENDED' and suspension_date > dump_date then 'ACTIVE'
    else declared_status
end;
