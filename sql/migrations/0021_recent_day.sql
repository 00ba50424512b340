-- The days of the calendar that nearly all records mention: every file is joined with them several
-- times, and to hash all of the calendar takes as long as to look at thousands of records.
create table registry.recent_day (
    written text not null,
    day date not null,
    constraint recent_day_pkey primary key (written)
);

insert into registry.recent_day (written, day)
select
    calendar.written,
    calendar.day
from registry.calendar
where calendar.day between '1985-01-01' and '2034-12-31';

analyze registry.recent_day;

-- The day that is written so; null for what is no day of the calendar.
create function registry.calendar_day(written text) returns date
language sql stable strict parallel safe
return (select calendar.day from registry.calendar where calendar.written = calendar_day.written);
